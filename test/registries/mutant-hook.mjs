// Loads one file of the product without one entry of one of its registries: HOLDFAST_MUTANT names the file and the
// range of characters that is left out.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const { file, from, to } = JSON.parse(process.env.HOLDFAST_MUTANT ?? "{}");

registerHooks({
  load(url, context, next) {
    if (!url.startsWith("file:") || fileURLToPath(url) !== file) return next(url, context);
    const text = readFileSync(file, "utf8");
    return { format: "module-typescript", source: text.slice(0, from) + text.slice(to), shortCircuit: true };
  },
});
