// Makes the programs and the library of dist/ from src/; the output folder is its argument. Run by build.mjs.
// What is started or imported by itself lies beside each other: a program finds the others, and the package, from
// wherever its code has come to stand.
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { repository } from "./pinned-node.mjs";

const output = path.resolve(process.argv[2] ?? "dist");

/**
 * Each group is made by itself, and what its entries have in common is there once. The command line is a group of its
 * own, because its many commands would part the library into dozens of files, and finding and reading those is what a
 * program waits for that imports the package after a crash.
 */
const groups = [
  { main: "src/cli/main.ts" },
  { "holdfast-client": "src/api/client/client.ts" },
  {
    "network-proxy": "src/agents/sandbox/network-proxy.ts",
    "network-forwarder": "src/agents/sandbox/network-forwarder.ts",
    "tools-relay": "src/agents/sandbox/tools-relay.ts",
  },
  {
    index: "src/index.ts",
    "holdfast-saver": "src/adapters/langgraph/holdfast-saver.ts",
    "durable-calls": "src/adapters/ai/durable-calls.ts",
    "demo-agent": "src/agents/demo/demo-agent.ts",
    "module-agent": "src/agents/function/module-agent.ts",
  },
];

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

for (const entryPoints of groups)
  await build({
    absWorkingDir: repository,
    entryPoints,
    outdir: output,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    sourcemap: true,
    sourcesContent: false,
    minifyWhitespace: true,
    minifySyntax: true,
    // Everything else that is not ours stays a package of its own.
    external: ["commander", "js-yaml", "pg", "ws", "@langchain/*"],
    plugins: [schemaLibrary],
    logLevel: "warning",
  });
copyFileSync(path.join(repository, "node_modules", "zod", "LICENSE"), path.join(output, "zod.LICENSE"));
