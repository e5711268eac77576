import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import path from "node:path";
import type { StatusView } from "../../../src/views/status/status.ts";
import { CliBench, pasted } from "../cli-process.ts";
import { ELSEWHERE } from "../real-causes.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(3);

/** Loaded into every process of ours: ends the one that decides about the bad run, as a fault of native code does. */
const POISON = `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { writeSync } = fs;
fs.writeSync = (...args) => {
  const written = writeSync(...args);
  if (typeof args[1] === "string" && args[1].trim() === "bad") process.kill(process.pid, "SIGSEGV");
  return written;
};
syncBuiltinESMExports();
`;
/** Each choice in a copy of the store, with what ended the supervisors removed. */
async function pasteEachChoice(bench: CliBench): Promise<void> {
  await bench.call(["down"]);
  const ways = ELSEWHERE.quarantined?.ways ?? [];
  for (const [at, { verb, after }] of ways.entries()) {
    const home = path.join(bench.root, `copy-${String(at)}`);
    cpSync(bench.home, home, { recursive: true });
    const env = { HOLDFAST_HOME: home };
    const status = async (): Promise<StatusView> => {
      const { stdout } = await bench.call(["status", "bad", "--json"], { env });
      return JSON.parse(stdout) as StatusView;
    };
    const choices = (await status()).blocked?.choices ?? [];
    assert.deepEqual(
      choices.map(({ command }) => command.split(" ")[1]),
      ways.map((way) => way.verb),
    );
    const given = await bench.call(pasted(choices[at]?.command ?? ""), { env });
    assert.equal(given.code, 0, `${verb}: ${given.stdout}${given.stderr}`);
    await bench.call(["up", "--detach"], { env });
    await bench.call(["wait", "bad", "--timeout", "2m"], { env });
    assert.equal((await status()).status, after);
    await bench.call(["down", "--stop-agents"], { env });
  }
}

const ACTS = [{ do: "claim", ok: true, text: "done" }];

test(
  "J4 a run in whose turns supervisors are ended by native code is quarantined by name, and the others go on",
  { timeout: 180_000 },
  async (t) => {
    const bench = new CliBench({
      "poison.mjs": POISON,
      "agent.json": JSON.stringify({ attempts: [ACTS] }),
      "holdfast.yaml": "lease: { ms: 900 }\nwatchdog: { lookMs: 200, silentMs: 20000, graceMs: 300 }\n",
    });
    t.after(() => bench.close());
    const env = { HOLDFAST_WATCHDOG: "on", NODE_OPTIONS: `--import=${bench.cwd}/poison.mjs` };
    const words = ["--agent", "demo:./agent.json", "--detach"];
    for (const id of ["bad", "good"]) await bench.call(["run", id, "--id", id, ...words], { env });
    await bench.reaches("bad", "blocked");
    const { blocked } = await bench.json<StatusView>(["status", "bad"]);
    assert.equal(blocked?.reason, "quarantined");
    assert.match(blocked.detail, /by an abort: SIGSEGV$/);
    // The next supervisor comes by itself, later and later after each death; a person need not wait for it.
    await bench.call(["up", "--detach"], { env });
    await bench.reaches("good", "completed");
    await pasteEachChoice(bench);
  },
);
