import { decide } from "../../../src/decide/decide.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";

export const fold = (state: RunState, event: RunEvent): RunState =>
  evolve(state, event, { run: "run_1", seq: state.seq + 1, at: state.at + 1 });

/** Decides until nothing follows, and answers what was decided. */
export function settle(state: RunState): RunEvent[] {
  const all: RunEvent[] = [];
  for (let events = decide(state, state.at); events.length > 0; events = decide(state, state.at)) {
    for (const event of events) fold(state, event);
    all.push(...events);
  }
  return all;
}
