// A part of `npm run check`: the pages load no schemas. Their content security policy refuses what the schema library
// does with texts, and it would be a fifth of their size. Prints how a page comes to it.
import { build } from "esbuild";
import { repository } from "../pinned-node.mjs";

const { metafile } = await build({
  absWorkingDir: repository,
  bundle: true,
  splitting: true,
  format: "esm",
  jsx: "automatic",
  entryPoints: ["web/src/main.tsx", "web/src/data/stream-worker.ts"],
  outdir: "dist/unused",
  write: false,
  metafile: true,
  logLevel: "error",
});

const isSchemas = (file) => file.includes("node_modules/zod/");
const cameFrom = new Map();
const open = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
for (const file of open) cameFrom.set(file, null);
let found;
for (let at = 0; at < open.length && found === undefined; at += 1)
  for (const { path: next } of metafile.inputs[open[at]]?.imports ?? []) {
    if (cameFrom.has(next)) continue;
    cameFrom.set(next, open[at]);
    open.push(next);
    if (isSchemas(next)) found ??= next;
  }

if (found !== undefined) {
  const chain = [];
  for (let file = found; file !== null; file = cameFrom.get(file)) chain.unshift(file);
  process.stdout.write(`the pages load schemas:\n  ${chain.join("\n  imports ")}\n`);
  process.exitCode = 1;
}
