import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../src/fold/evolve.ts";
import { CONTINUOUS_EVENTS } from "../../src/model/continuous/continuous-events.ts";
import { MISSION_EVENTS } from "../../src/model/mission/mission-events.ts";
import { EVENT_TYPES, type RunEvent } from "../../src/model/events/events.ts";
import { SHARED_RESOURCE_EVENTS } from "../../src/model/events/shared-resource-events.ts";
import { errorText } from "../../src/model/fault.ts";
import { given } from "../decide/states.ts";
import { EXAMPLES } from "../model/example-events.ts";

/** Events of journals that are no run's. */
const NOT_OF_RUNS = { ...SHARED_RESOURCE_EVENTS, ...CONTINUOUS_EVENTS, ...MISSION_EVENTS };
const BEGINS = ["RunCreated", "BodyCreated"];

/** What the fold says of an event of the type; "" where it accepts it. */
function refusal(type: (typeof EVENT_TYPES)[number]): string {
  const event = { type, data: structuredClone(EXAMPLES[type]) } as RunEvent;
  try {
    evolve(given(), event, { run: "run_1", seq: 2, at: 1_000 });
    return "";
  } catch (error) {
    return errorText(error);
  }
}

for (const type of EVENT_TYPES.filter((one) => !BEGINS.includes(one)))
  test(`J9 the fold ${type in NOT_OF_RUNS ? "refuses" : "has a meaning for"} ${type} in the journal of a run`, () => {
    // An example may name an attempt that this run never had; that is another matter.
    assert.equal(/which is no run's/.test(refusal(type)), type in NOT_OF_RUNS);
  });
