import assert from "node:assert/strict";
import { test } from "node:test";
import { ofTheDay, printSample } from "../day-sample.ts";
import { simulateApart } from "./simulate-apart.ts";

const SEEDS = 20;

test("G11 G12 no random life with policies and hooks begins what a rule forbids, leaves a hook unasked or asks it twice, and each run ends", async (t) => {
  const bad: string[] = [];
  let events = 0;
  const all = Array.from({ length: SEEDS }, (_, at) => at + 1);
  const seeds = ofTheDay(all, 4);
  for (const seed of seeds) {
    const result = await simulateApart({ seed, rules: true });
    events += result.events;
    bad.push(...result.violations.map((text) => `seed ${String(seed)}: ${text}`));
  }
  printSample(t, `${String(seeds.length)} of ${String(SEEDS)} lives with rules`);
  t.diagnostic(`${String(seeds.length)} lives, ${String(events)} events`);
  assert.deepEqual(bad, []);
});

test("G12 R6 seed 154 holds with rules: a hook in doubt after a step that has planned has a way out while its plan is worked", async () => {
  assert.deepEqual((await simulateApart({ seed: 154, rules: true })).violations, []);
});
