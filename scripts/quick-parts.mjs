// What stands in the small program of `status` for what it does not hold (decision 0060): schemas that only accept,
// and parts of the whole program that are beyond it.
import { readFileSync } from "node:fs";
import path from "node:path";
import { repository } from "./pinned-node.mjs";

/** Of the small program itself. */
export const part = (name) => path.join(repository, "src", "cli", "quick", name);

/** Loaded late by the whole program, and held by this one from the beginning. */
const HELD = /\/(load-config|left-session|run-status|open-reader)\.ts$/;
const SCHEMAS = `import { z } from ${JSON.stringify(part("accepting-schemas.ts"))};`;
const BEYOND = `import { beyond as isBeyond } from ${JSON.stringify(part("beyond.ts"))};`;

/** Modules that a look needs for nothing, or for little; to load them costs more than it does without. */
const INSTEAD = {
  "node:child_process": ["execFile", "execFileSync", "spawn", "spawnSync"],
  "node:url": ["fileURLToPath", "pathToFileURL"],
  "node:util": ["inspect"],
  "node:timers/promises": ["setTimeout"],
  "node:buffer": ["isUtf8"],
  "js-yaml": ["load", "parseEvents", "getScalarValue", "YAMLException"],
};
const CONSTANTS = {
  "js-yaml": `export const EVENT_ID = {}, SCALAR_STYLE_DOUBLE_QUOTED = 0, SCALAR_STYLE_SINGLE_QUOTED = 0;`,
};

/** For the bundler. */
export const withoutTheRest = {
  name: "without-the-rest",
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => ({
      loader: "ts",
      contents: atHand(readFileSync(file, "utf8").replace(/^import \{ z \} from "zod";/m, SCHEMAS)),
    }));
    bundle.onResolve(
      { filter: /^(node:(child_process|url|util|buffer|perf_hooks|timers\/promises|zlib)|js-yaml)$/ },
      (found) => ({
        path: found.path,
        namespace: "instead",
      }),
    );
    bundle.onLoad({ filter: /./, namespace: "instead" }, ({ path: name }) => ({
      loader: "js",
      resolveDir: repository,
      contents: instead(name),
    }));
  },
};

/** What is loaded late is there from the beginning, or beyond this program. */
function atHand(text) {
  const heads = [];
  const body = text.replaceAll(/\bimport\("(\.[^"]+\.ts)"\)/g, (_whole, file) => {
    if (!HELD.test(file)) {
      if (!heads.includes(BEYOND)) heads.push(BEYOND);
      return `isBeyond(${JSON.stringify(file)})`;
    }
    const name = `held${heads.length}`;
    heads.push(`import * as ${name} from ${JSON.stringify(file)};`);
    return `Promise.resolve(${name})`;
  });
  return heads.join("") + body;
}

function instead(name) {
  if (name === "node:perf_hooks") return "export const performance = globalThis.performance;";
  if (name === "node:zlib") return `export { crc32 } from ${JSON.stringify(part("crc32.ts"))};`;
  const words = INSTEAD[name].map((word) => `export const ${word} = () => isBeyond("${name}");`);
  return `${BEYOND}${words.join("")}${CONSTANTS[name] ?? ""}`;
}
