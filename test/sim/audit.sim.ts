import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventType } from "../../src/model/events/events.ts";
import { walkBack } from "../views/audit-walk.ts";
import { simulateApart } from "./simulate-apart.ts";

/** Far from the seeds of other tests. */
const FROM = 90_001;
const SEEDS = 8;

test("G13 in simulated lives every decision leads back to a request or to something that was seen, without a gap", async (t) => {
  const wrong: string[] = [];
  const types = new Set<EventType>();
  let decisions = 0;
  for (let seed = FROM; seed < FROM + SEEDS; seed += 1) {
    const { journals } = await simulateApart({
      seed,
      flows: seed % 2 === 0,
      rules: seed % 3 === 0,
      journals: true,
    });
    for (const events of journals) {
      const walked = walkBack(events);
      decisions += walked.decisions;
      wrong.push(...walked.wrong.map((text) => `seed ${String(seed)}: ${text}`));
      for (const type of walked.types) types.add(type);
    }
  }
  t.diagnostic(`${String(decisions)} decisions, ${String(types.size)} types of events`);
  assert.deepEqual(wrong.slice(0, 20), []);
  assert.ok(types.size > 40, "these lives are too quiet to tell anything");
});
