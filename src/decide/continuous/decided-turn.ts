import type { RunEvent } from "../../model/events/events.ts";
import { invariant } from "../../model/fault.ts";
import type { EventPlace } from "./enter-event.ts";

/** What has a journal of its own beside those of its runs: a session, or a mission. */
interface Standing {
  readonly name: string;
  readonly seq: number;
  readonly spec: object | null;
  readonly end: object | null;
}

/** The decision of the first rule that has one; nothing before the beginning and after the end. */
export function firstDecision<State extends Pick<Standing, "spec" | "end">, Facts>(
  rules: readonly ((state: State, facts: Facts) => RunEvent[])[],
  state: State,
  facts: Facts,
): RunEvent[] {
  if (state.spec === null || state.end !== null) return [];
  for (const rule of rules) {
    const events = rule(state, facts);
    if (events.length > 0) return events;
  }
  return [];
}

/** No real turn comes near it; a rule that never falls silent does (I7). */
const DECISIONS_MAX = 10_000;

interface TurnParts<State, Facts> {
  readonly decide: (state: State, facts: Facts) => RunEvent[];
  readonly evolve: (state: State, event: RunEvent, place: EventPlace) => void;
}

/** One turn without its append: decides until nothing follows. The state is changed in place. */
export function decidedTurn<State extends Standing, Facts extends { readonly now: number }>(
  { decide, evolve }: TurnParts<State, Facts>,
  state: State,
  facts: Facts,
): RunEvent[] {
  const events: RunEvent[] = [];
  for (;;) {
    const decided = decide(state, facts);
    if (decided.length === 0) return events;
    for (const event of decided) {
      events.push(event);
      evolve(state, event, { seq: state.seq + 1, at: facts.now });
    }
    invariant(events.length < DECISIONS_MAX, `a turn of ${state.name} does not come to an end`);
  }
}
