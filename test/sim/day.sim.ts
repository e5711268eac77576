import assert from "node:assert/strict";
import { NO_FAULTS } from "../../sim/faults/sim-faults.ts";
import { PLAY_WHOLE, printSample } from "../day-sample.ts";
import { simulateApart } from "./simulate-apart.ts";
import { takesTurns } from "../turns.ts";

const { test } = takesTurns(1);

const AGENTS = 50;
const AGENTS_OF_NPM_TEST = 6;

test("P1 J3 a day of many agents is simulated to its end", async (t) => {
  const began = performance.now();
  const runs = PLAY_WHOLE ? AGENTS : AGENTS_OF_NPM_TEST;
  printSample(t, `${String(runs)} of ${String(AGENTS)} agents`);
  const result = await simulateApart({
    seed: 1,
    runs,
    hosts: 2,
    chain: 480,
    eventsMax: 1_000_000,
    safetyMs: 24 * 3_600_000,
    // Every supervisor dies about four times a day.
    faults: { ...NO_FAULTS, meanLifeMs: 6 * 3_600_000 },
  });
  t.diagnostic(`${String(result.events)} events in ${String(Math.round(performance.now() - began))} ms`);
  assert.deepEqual(result.violations, []);
  assert.ok(result.simulatedMs >= 24 * 3_600_000);
});
