import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { CliBench, isAlive } from "../cli-process.ts";

test("O1 J4 L2 L5 R1 the demo crashes, is killed, goes round in circles and meets a limit, reports it plainly, comes home and ends with 0", async (t) => {
  const bench = new CliBench();
  t.after(() => bench.close());
  const { code, stdout, stderr } = await bench.call(["demo"], { env: { TERM: "dumb", HOLDFAST_TRUST: "" } });
  assert.equal(code, 0, `${stdout}${stderr}`);
  const store = /--store (sqlite:\S+)/.exec(stdout)?.[1] ?? "";
  t.after(() => rmSync(path.dirname(store.slice("sqlite:".length)), { recursive: true, force: true }));
  const reported = [
    /build#1: crashed/,
    /── SIGKILL: the supervisor \(pid \d+\) is gone/,
    /── the agent was never disturbed/,
    /verify#1: stuck \(error_loop\): .*3 times in a row/,
    /── the agent lives and talks, and gets nowhere/,
    /remedy against error_loop: a restart/,
    /waits for a limit of the provider until/,
    /the limit is over: step verify goes on/,
    /── home/,
    /the run is completed: 6 attempts for 3 steps, 1 of them charged/,
    /verifies: every hash fits/,
    /in a browser[^\n]*\n +holdfast dashboard --store sqlite:/,
  ];
  let from = 0;
  for (const words of reported) {
    const found = words.exec(stdout.slice(from));
    assert.ok(found !== null, `${String(words)} is not told, or not in its turn:\n${stdout}`);
    from += found.index;
  }
  const killed = Number(/supervisor \(pid (\d+)\) is gone/.exec(stdout)?.[1]);
  assert.equal(isAlive(killed), false);
  const system = await openSystem({ store, settings: configSchema.parse({}) });
  t.after(() => system.close());
  const state = await system.loadRun("demo");
  assert.deepEqual([state?.status, state?.steps["verify"]?.charged], ["completed", 0]);
});
