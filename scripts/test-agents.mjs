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
// Then every fault of their provider with every agent, unless only a part was asked for: first those that Holdfast
// knows by name, then those without a driver of their own, which have time of their own.
const othersMin = 45;
const matrices =
  words.length > 0
    ? []
    : [playFaults("--limit-min", minutesLeft()), playFaults("--others", "--limit-min", String(othersMin))];
process.exitCode = [done, ...matrices].map(({ status }) => status ?? 1).find((status) => status !== 0) ?? 0;

/** @param {string[]} options */
function playFaults(...options) {
  return spawnSync(process.execPath, ["test/agents/real/fault-matrix.ts", ...options], {
    cwd: repository,
    stdio: "inherit",
  });
}

/** All of it, but for the agents without a driver, is bounded to an hour. */
function minutesLeft() {
  return String(Math.max(1, wholeMin - Math.round((Date.now() - begunMs) / 60_000)));
}
