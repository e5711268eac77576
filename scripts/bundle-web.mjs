// Makes the dashboard from web/: files whose names say what is in them, and one page that leads to them. The output
// folder is its argument. Run by build.mjs. Nothing that the page needs is fetched from elsewhere.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { repository } from "./pinned-node.mjs";

const output = path.resolve(process.argv[2] ?? "dist/web");
const source = path.join(repository, "web");

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const { metafile } = await build({
  absWorkingDir: repository,
  entryPoints: {
    main: "web/src/main.tsx",
    styles: "web/src/styles/main.css",
    stream: "web/src/data/stream-worker.ts",
  },
  outdir: output,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  minify: true,
  metafile: true,
  logLevel: "warning",
});

const made = (entry) =>
  Object.keys(metafile.outputs).find((file) => metafile.outputs[file].entryPoint === entry);
const nameOf = (entry) => `/assets/${path.basename(made(entry))}`;
const page = readFileSync(path.join(source, "index.html"), "utf8").replace(
  "</head>",
  `  <link rel="stylesheet" href="${nameOf("web/src/styles/main.css")}" />
    <meta name="holdfast-stream" content="${nameOf("web/src/data/stream-worker.ts")}" />
    <script type="module" src="${nameOf("web/src/main.tsx")}"></script>
  </head>`,
);
writeFileSync(path.join(output, "index.html"), page);
