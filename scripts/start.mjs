// `npm start`: brings what is missing, builds if need be, and plays the demo.
import path from "node:path";
import { build, buildIsFresh } from "./build.mjs";
import { repository, runOnPinnedNode } from "./pinned-node.mjs";
import { setUpOrExit } from "./setup.mjs";

setUpOrExit("start");
if (!buildIsFresh()) {
  process.stderr.write("start: building\n");
  const code = build();
  if (code !== 0) process.exit(code);
}
const launcher = path.join(repository, "bin", "holdfast.js");
process.exitCode = await runOnPinnedNode("node", [launcher, "demo", ...process.argv.slice(2)]);
