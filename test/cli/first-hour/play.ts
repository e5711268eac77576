/**
 * `npm run first-hour [-- SCENE...] [--accept]`: plays the first hour of a new user in a real terminal, with the package
 * installed from its tarball, and compares what each line shows with golden/. `--accept` rewrites golden/; read every
 * changed line as somebody would who sees it for the first time.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { differences, playScenes } from "./play-scenes.ts";
import { SCENES } from "./scenes.ts";

const GOLDEN = path.join(import.meta.dirname, "golden");

const words = process.argv.slice(2);
const accepts = words.includes("--accept");
const named = words.filter((word) => word !== "--accept");
const unknown = named.find((word) => !SCENES.some(({ name }) => name === word));
if (unknown !== undefined) {
  process.stderr.write(
    `first-hour: there is no scene "${unknown}"; there are ${SCENES.map(({ name }) => name).join(", ")}\n`,
  );
  process.exit(2);
}

let different = 0;
let lines = 0;
// Each scene goes on where the one before it has ended: those before the last named one are played too.
const last =
  named.length === 0 ? SCENES.length : SCENES.findLastIndex(({ name }) => named.includes(name)) + 1;
for await (const { scene, text } of playScenes(SCENES.slice(0, last), { install: "registry" })) {
  const file = path.join(GOLDEN, `${scene.name}.txt`);
  lines += scene.acts.length;
  if (accepts) {
    mkdirSync(GOLDEN, { recursive: true });
    writeFileSync(file, text);
    continue;
  }
  if (!existsSync(file)) {
    process.stdout.write(`⚠ ${scene.name}: nobody has reviewed it yet; write it with --accept and read it\n`);
    continue;
  }
  const found = differences(readFileSync(file, "utf8"), text);
  different += found.length;
  process.stdout.write(`${found.length === 0 ? "✔" : "✖"} ${scene.name}: ${scene.about}\n`);
  for (const line of found) process.stdout.write(`    ${line}\n`);
}
process.stdout.write(
  `${String(lines)} lines typed, ${accepts ? "golden/ is rewritten" : `${String(different)} lines differ`}\n`,
);
process.exitCode = different === 0 ? 0 : 1;
