// `npm run test:brakes`: plays test/agents/brakes/play-brakes.ts with the command line built as for `npm test`.
import { spawnSync } from "node:child_process";
import { build, buildIsFresh } from "./build.mjs";
import { repository } from "./pinned-node.mjs";
import { makeTestPrograms } from "./test-programs.mjs";

// Stores of tests come and go under the same address.
process.env.HOLDFAST_ANCHOR ??= "off";
if (!buildIsFresh() && build() !== 0) process.exit(1);
const dropPrograms = await makeTestPrograms();
// It ends in its own time: cells under way are waited for.
process.on("SIGINT", () => {});
const { status } = spawnSync(
  process.execPath,
  ["test/agents/brakes/play-brakes.ts", ...process.argv.slice(2)],
  {
    cwd: repository,
    stdio: "inherit",
  },
);
dropPrograms();
process.exitCode = status ?? 1;
