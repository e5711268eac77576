import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { afterSuccess } from "../ladder/climb.ts";
import { sleepInstead } from "../requests/decide-alarms.ts";
import { afterEnd } from "./decide-attempt.ts";
import { decideCrash, publishEnd } from "../resources/decide-shared-resources.ts";
import { boundDeaths } from "./retry-class.ts";
import { excused } from "../budget/limits.ts";

/** Ends an attempt: what that means for its step, for the others that share its account and host, and for the run. */
export function endAttempt(
  state: RunState,
  attempt: AttemptState,
  end: EventData<"AttemptEnded">,
  now: number,
): RunEvent[] {
  if (attempt.helps && !STOPS.has(end.outcome)) return endHelper(attempt, end);
  const ended = boundDeaths(state, attempt, excused(state, attempt, end));
  return (
    sleepInstead(state, attempt, ended) ?? [
      ...(ended.outcome === "succeeded" ? afterSuccess(state, attempt.step) : []),
      { type: "AttemptEnded", data: ended },
      ...afterEnd(state, attempt, ended, now),
      ...publishEnd(state, attempt, ended),
      ...decideCrash(state, attempt.step, ended, now),
    ]
  );
}

/** Ends that are not the helper's own. */
const STOPS: ReadonlySet<EventData<"AttemptEnded">["outcome"]> = new Set(["interrupted", "cancelled"]);

/**
 * However a helper ended, it costs no attempt and is not the step's end: the step goes on, and is given what was done.
 */
function endHelper(
  { id, step, agent, claim }: AttemptState,
  { outcome, why }: EventData<"AttemptEnded">,
): RunEvent[] {
  const said = claim?.text ?? why;
  const note = `(From Holdfast:) a helper (${agent}) was given only the part that failed, and has ${outcome === "succeeded" ? "ended" : `ended as ${outcome}`}. It says: ${said}`;
  return [
    { type: "StepAdvised", data: { step, note, by: "holdfast" } },
    {
      type: "AttemptEnded",
      data: { attempt: id, outcome: "interrupted", charged: false, why: `the helper has ended: ${said}` },
    },
  ];
}
