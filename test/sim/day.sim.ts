import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_FAULTS } from "../../sim/faults/sim-faults.ts";
import { simulateApart } from "./simulate-apart.ts";

test("P1 J3 a day of fifty agents is simulated to its end", async (t) => {
  const began = performance.now();
  const result = await simulateApart({
    seed: 1,
    runs: 50,
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
