// `npm run docs`: writes the documents that are generated. To add one, add a generator to the list.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { writeFeatures } from "./docs/features.mjs";
import { repository } from "./pinned-node.mjs";

/** Generators written in TypeScript, because they read the model; each writes its own file when run. */
const typedGenerators = [
  "scripts/docs/events-doc.ts",
  "scripts/docs/states-doc.ts",
  "scripts/docs/recovery-doc.ts",
  "scripts/docs/pictures-doc.ts",
  "scripts/docs/detection-doc.ts",
  "scripts/docs/attacks-doc.ts",
  "scripts/docs/brakes-doc.ts",
  "scripts/docs/api-doc.ts",
];

writeFeatures();
for (const generator of typedGenerators.filter((file) => existsSync(path.join(repository, file)))) {
  const done = spawnSync(process.execPath, [generator], { cwd: repository, stdio: "inherit" });
  if (done.status !== 0) process.exitCode = 1;
}
