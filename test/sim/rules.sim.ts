import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateApart } from "./simulate-apart.ts";

const SEEDS = 20;

test("G11 G12 no random life with policies and hooks begins what a rule forbids, leaves a hook unasked or asks it twice, and each run ends", async (t) => {
  const bad: string[] = [];
  let events = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const result = await simulateApart({ seed, rules: true });
    events += result.events;
    bad.push(...result.violations.map((text) => `seed ${String(seed)}: ${text}`));
  }
  t.diagnostic(`${String(SEEDS)} lives, ${String(events)} events`);
  assert.deepEqual(bad, []);
});

test("G12 R6 seed 154 holds with rules: a hook in doubt after a step that has planned has a way out while its plan is worked", async () => {
  assert.deepEqual((await simulateApart({ seed: 154, rules: true })).violations, []);
});
