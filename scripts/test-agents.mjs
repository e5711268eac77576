// `npm run test:agents`: what `npm test` leaves out because it takes long: more of the real agents, and of terminals.
import { spawnSync } from "node:child_process";
import { repository } from "./pinned-node.mjs";

const words = process.argv.slice(2);
const done = spawnSync(
  process.execPath,
  ["scripts/test.mjs", ...(words.length === 0 ? ["test/agents"] : words)],
  {
    cwd: repository,
    env: { ...process.env, HOLDFAST_TEST_AGENTS: "1" },
    stdio: "inherit",
  },
);
process.exitCode = done.status ?? 1;
