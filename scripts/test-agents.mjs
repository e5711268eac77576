// `npm run test:agents`: what `npm test` leaves out because it takes long: more of the real agents, and of terminals.
import { spawnSync } from "node:child_process";
import { repository } from "./pinned-node.mjs";

const words = process.argv.slice(2);
const begunMs = Date.now();
const wholeMin = 55;
const done = spawnSync(
  process.execPath,
  ["scripts/test.mjs", "--again", ...(words.length === 0 ? ["test/agents"] : words)],
  {
    cwd: repository,
    // One file holds all cells of a matrix, so that it takes longer than any file of `npm test`.
    env: { TEST_FILE_TIMEOUT_MS: String(wholeMin * 60_000), ...process.env, HOLDFAST_TEST_AGENTS: "1" },
    stdio: "inherit",
  },
);
// Then every fault of their provider with every agent, unless only a part was asked for.
const faults =
  words.length > 0
    ? undefined
    : spawnSync(process.execPath, ["test/agents/real/fault-matrix.ts", "--limit-min", minutesLeft()], {
        cwd: repository,
        stdio: "inherit",
      });
process.exitCode = (done.status ?? 1) || (faults === undefined ? 0 : (faults.status ?? 1));

/** All of it is bounded to an hour. */
function minutesLeft() {
  return String(Math.max(1, wholeMin - Math.round((Date.now() - begunMs) / 60_000)));
}
