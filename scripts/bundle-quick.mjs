// Makes the small program by which `status` answers where all is well (decision 0060); the output folder is its argument.
// It is one file, and holds neither the schema library nor anything that acts: what it lacks is beyond it, and the whole
// program answers. Run by build.mjs.
import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { repository } from "./pinned-node.mjs";
import { part, withoutTheRest } from "./quick-parts.mjs";

const output = path.resolve(process.argv[2] ?? "dist");

const { outputFiles, metafile } = await build({
  absWorkingDir: repository,
  entryPoints: [part("quick-status.ts")],
  write: false,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node24",
  minify: true,
  metafile: true,
  define: { "import.meta.dirname": "__dirname" },
  plugins: [withoutTheRest],
  logLevel: "warning",
});
const strangers = Object.keys(metafile.inputs).filter((file) => file.includes("node_modules"));
if (strangers.length > 0) throw new Error(`the small program holds packages: ${strangers.join(", ")}`);
const [{ text }] = outputFiles;
// The launcher keeps what Node makes of it under this name.
const digest = createHash("sha256").update(text).digest("hex").slice(0, 32);
const file = path.join(output, "quick-status.cjs");
writeFileSync(file, `// ${digest}\n${text}`);

// What it lacks when it is loaded is noticed here, and not by users whose status takes longer.
try {
  createRequire(import.meta.url)(file);
} catch (error) {
  rmSync(file);
  throw new Error(`the small program of status cannot be loaded (see src/cli/quick/): ${error.message}`, {
    cause: error,
  });
}
