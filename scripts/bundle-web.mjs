// Makes the dashboard from web/: files whose names say what is in them, each also compressed as browsers ask for it,
// and one page that leads to them. The output folder is its argument. Run by build.mjs. Nothing that the page needs is
// fetched from elsewhere.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { repository } from "./pinned-node.mjs";

const output = path.resolve(process.argv[2] ?? "dist/web");
const source = path.join(repository, "web");
const MAIN = "web/src/main.tsx";
const STYLES = "web/src/styles/main.css";
const STREAM = "web/src/data/stream-worker.ts";
/** Where a file is smaller than this, compressing it saves nothing that anybody would notice. */
const COMPRESSED_BYTES_MIN = 1_024;

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const shared = {
  absWorkingDir: repository,
  bundle: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  minify: true,
  logLevel: "warning",
};
const { metafile } = await build({
  ...shared,
  entryPoints: { main: MAIN, styles: STYLES, stream: STREAM },
  outdir: output,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  splitting: true,
  metafile: true,
});

const made = (entry) =>
  Object.keys(metafile.outputs).find((file) => metafile.outputs[file].entryPoint === entry);
const addressOf = (file) => `/assets/${path.basename(file)}`;

/** What a file cannot run without, and what that cannot run without: it is asked for beside the file, not after it. */
function neededBy(file, found = new Set()) {
  for (const { path: needed, kind } of metafile.outputs[file].imports)
    if (kind === "import-statement" && !found.has(needed)) neededBy(needed, found.add(needed));
  return found;
}

const main = made(MAIN);
const head = [
  // The library of controls looks for an element of this name before it writes styles into the page, which the
  // content security policy refuses; the rule that it would write stands in the styles.
  `<link rel="stylesheet" id="react-aria-pressable-style" href="${addressOf(made(STYLES))}" />`,
  `<meta name="holdfast-stream" content="${addressOf(made(STREAM))}" />`,
  `<script type="module" src="${addressOf(main)}"></script>`,
  ...[...neededBy(main)].map((file) => `<link rel="modulepreload" href="${addressOf(file)}" />`),
];
const page = readFileSync(path.join(source, "index.html"), "utf8").replace(
  "</head>",
  `  ${head.join("\n    ")}\n  </head>`,
);
writeFileSync(path.join(output, "index.html"), page);
// Not part of the package: a test reads from it how large the pages are, and what they wait for.
writeFileSync(path.join(output, "..", ".web-metafile.json"), JSON.stringify(metafile));

for (const name of readdirSync(output)) {
  const bytes = readFileSync(path.join(output, name));
  if (!/\.(js|css|svg|json)$/.test(name) || bytes.length < COMPRESSED_BYTES_MIN) continue;
  writeFileSync(path.join(output, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  const options = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  writeFileSync(path.join(output, `${name}.br`), brotliCompressSync(bytes, options));
}

// The same pages for one exported run, in one file of their own (see src/cli/view/).
const viewer = path.join(output, "..", "viewer");
rmSync(viewer, { recursive: true, force: true });
await build({
  ...shared,
  entryPoints: { viewer: "web/src/file-main.tsx", styles: STYLES },
  outdir: viewer,
});
