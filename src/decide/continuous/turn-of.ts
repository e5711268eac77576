import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { invariant } from "../../model/fault.ts";
import type { ContinuousFacts } from "./continuous-facts.ts";
import { decideContinuous } from "./decide-continuous.ts";
import { evolveContinuous } from "./evolve-continuous.ts";

/** No real turn comes near it; a rule that never falls silent does (I7). */
const DECISIONS_MAX = 10_000;

/** One turn without its append: decides until nothing follows. The state is changed in place. */
export function turnOf(state: ContinuousState, facts: ContinuousFacts): RunEvent[] {
  const events: RunEvent[] = [];
  for (;;) {
    const decided = decideContinuous(state, facts);
    if (decided.length === 0) return events;
    for (const event of decided) {
      events.push(event);
      evolveContinuous(state, event, { seq: state.seq + 1, at: facts.now });
    }
    invariant(events.length < DECISIONS_MAX, `a turn of the session ${state.name} does not come to an end`);
  }
}
