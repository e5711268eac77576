// Makes the programs and the library of dist/ from src/; the output folder is its argument. Run by build.mjs.
// What is started or imported by itself lies beside each other: a program finds the others, and the package, from
// wherever its code has come to stand.
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { repository } from "./pinned-node.mjs";

const output = path.resolve(process.argv[2] ?? "dist");

const entries = {
  main: "src/cli/main.ts",
  "holdfast-client": "src/api/client/client.ts",
  "network-proxy": "src/agents/sandbox/network-proxy.ts",
  "network-forwarder": "src/agents/sandbox/network-forwarder.ts",
  "tools-relay": "src/agents/sandbox/tools-relay.ts",
  index: "src/index.ts",
  "holdfast-saver": "src/adapters/langgraph/holdfast-saver.ts",
  "durable-calls": "src/adapters/ai/durable-calls.ts",
  "demo-agent": "src/agents/demo/demo-agent.ts",
  "module-agent": "src/agents/function/module-agent.ts",
};

/** Imported as a namespace, the schema library is carried along with what is used of it alone: not in 50 languages. */
const schemaLibrary = {
  name: "schema-library",
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => ({
      loader: "ts",
      contents: readFileSync(file, "utf8").replace(
        /^import \{ z \} from "zod";/m,
        'import * as z from "zod";',
      ),
    }));
  },
};

const options = {
  absWorkingDir: repository,
  outdir: output,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // Everything else that is not ours stays a package of its own.
  external: ["commander", "js-yaml", "pg", "ws", "@langchain/*"],
  metafile: true,
  logLevel: "warning",
};

// First everything once, in as many parts as its programs and their commands share in different ways.
const parted = await build({ ...options, entryPoints: entries, plugins: [schemaLibrary], write: false });
const parts = new Map(
  parted.outputFiles.map(({ path: file, text }) => [path.basename(file), { text, ...detailsOf(file) }]),
);

function detailsOf(file) {
  const { imports, exports } = parted.metafile.outputs[path.relative(repository, file)];
  const needs = imports.filter(({ kind, external }) => kind === "import-statement" && external !== true);
  return { exports, needs: needs.map((one) => path.basename(one.path)) };
}

/** A part with everything that it loads at once. */
function closureOf(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const need of parts.get(name).needs) closureOf(need, found);
  return found;
}

/**
 * Then what the library loads at once becomes one file, which the others use too: finding and reading dozens of files is
 * what a program waits for that imports the package after a crash. Its name changes with what is in it.
 */
const isEntry = (name) => Object.hasOwn(entries, name.slice(0, -".js".length));
const core = [...closureOf("index.js")].filter((name) => !isEntry(name)).sort();
const digest = createHash("sha256").update(core.map((name) => parts.get(name).text).join("\0"));
const coreName = `library-${digest.digest("hex").slice(0, 8).toUpperCase()}`;
const nameInCore = (part, word) => `${part.replaceAll(/\W/g, "_")}_${word}`;

const merging = {
  name: "merging",
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\// }, ({ path: name, importer, namespace, kind }) => {
      const part = path.basename(name);
      const fromCore = namespace === "core" || core.includes(importer);
      const isShared = core.includes(part) && !fromCore && kind === "import-statement";
      return { path: part, namespace: isShared ? "shared" : "part" };
    });
    bundle.onLoad({ filter: /./, namespace: "part" }, ({ path: name }) => ({
      contents: parts.get(name).text,
    }));
    bundle.onLoad({ filter: /./, namespace: "shared" }, ({ path: name }) => ({
      contents: parts
        .get(name)
        .exports.map((word) => `export { ${nameInCore(name, word)} as ${word} } from "holdfast:core";`)
        .join("\n"),
    }));
    bundle.onResolve({ filter: /^holdfast:core$/ }, () => ({ path: `./${coreName}.js`, external: true }));
    bundle.onResolve({ filter: /^holdfast:all-of-core$/ }, () => ({ path: "all", namespace: "core" }));
    bundle.onLoad({ filter: /./, namespace: "core" }, () => ({
      contents: core
        .flatMap((name) =>
          parts
            .get(name)
            .exports.map((word) => `export { ${word} as ${nameInCore(name, word)} } from "./${name}";`),
        )
        .join("\n"),
    }));
  },
};

await build({
  ...options,
  entryPoints: {
    ...Object.fromEntries(Object.keys(entries).map((name) => [name, `./${name}.js`])),
    [coreName]: "holdfast:all-of-core",
  },
  plugins: [merging],
  // Names stay as they are: what a user reports of a crash can be read.
  minifyWhitespace: true,
  minifySyntax: true,
});
copyFileSync(path.join(repository, "node_modules", "zod", "LICENSE"), path.join(output, "zod.LICENSE"));
