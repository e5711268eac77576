import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatusView } from "../../src/views/status/status.ts";
import { CliBench } from "./cli-process.ts";

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
  },
);
