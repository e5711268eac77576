// `npm run docs`: writes the documents that are generated. To add one, add a generator to the list.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { writeFeatures } from "./features.mjs";
import { repository } from "./pinned-node.mjs";

/** Generators written in TypeScript, because they read the model; each writes its own file when run. */
const typedGenerators = [
  "scripts/events-doc.ts",
  "scripts/states-doc.ts",
  "scripts/recovery-doc.ts",
  "scripts/pictures-doc.ts",
  "scripts/detection-doc.ts",
  "scripts/attacks-doc.ts",
  "scripts/brakes-doc.ts",
  "scripts/api-doc.ts",
];

writeFeatures();
for (const generator of typedGenerators.filter((file) => existsSync(path.join(repository, file)))) {
  const done = spawnSync(process.execPath, [generator], { cwd: repository, stdio: "inherit" });
  if (done.status !== 0) process.exitCode = 1;
}
