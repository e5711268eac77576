import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateApart } from "./simulate-apart.ts";

/** Far from the seeds of other tests. */
const FROM = 50_001;
const SEEDS = 6;

test("G1 G9 no random flow of up to fifty steps has two writers in a tree, a step before its needs, an attempt beyond its cap or a run that neither ends nor asks", async (t) => {
  const bad: string[] = [];
  let events = 0;
  let most = 0;
  for (let seed = FROM; seed < FROM + SEEDS; seed += 1) {
    const result = await simulateApart({
      seed,
      runs: 1,
      stepsMax: 50,
      flows: true,
      eventsMax: 60_000,
      livenessMs: 400 * 3_600_000,
    });
    events += result.events;
    most = Math.max(most, result.stepsMost);
    bad.push(...result.violations.map((text) => `seed ${String(seed)}: ${text}`));
  }
  t.diagnostic(`${String(SEEDS)} flows of up to ${String(most)} steps, ${String(events)} events`);
  assert.deepEqual(bad, []);
  assert.ok(most > 40, "large flows are drawn");
});
