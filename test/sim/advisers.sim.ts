import assert from "node:assert/strict";
import { test } from "node:test";
import { ofTheDay, printSample } from "../day-sample.ts";
import { simulateApart } from "./simulate-apart.ts";

/** `npm run sim -- --advisers` lives through as many as one likes. */
const SEEDS = 20;

test("G6 L6 in no random life with reviewers and triage is work done that they have not passed, nor anybody of them left at work", async (t) => {
  const bad: string[] = [];
  let events = 0;
  const all = Array.from({ length: SEEDS }, (_, at) => at + 1);
  const seeds = ofTheDay(all, 4);
  for (const seed of seeds) {
    const result = await simulateApart({ seed, advisers: true });
    events += result.events;
    bad.push(...result.violations.map((text) => `seed ${String(seed)}: ${text}`));
  }
  printSample(t, `${String(seeds.length)} of ${String(SEEDS)} lives with advisers`);
  t.diagnostic(`${String(seeds.length)} lives, ${String(events)} events`);
  assert.deepEqual(bad, []);
});

test("L6 seed 3191 holds with advisers: the adviser on a stuck agent is ended, although that failed at first", async () => {
  assert.deepEqual((await simulateApart({ seed: 3_191, advisers: true })).violations, []);
});

test("G6 seed 1678 holds with advisers: a reviewer that would not end at first is ended when its run is paused", async () => {
  assert.deepEqual((await simulateApart({ seed: 1_678, advisers: true })).violations, []);
});
