import type { EventData, RunEvent } from "../model/events.ts";
import type { AttemptState, RunState } from "../model/run-state.ts";
import { afterSuccess } from "./climb.ts";
import { sleepInstead } from "./judge-alarms.ts";
import { afterEnd } from "./judge-attempt.ts";
import { judgeCrash, tellEnd } from "./judge-grounds.ts";
import { excused } from "./limits.ts";

/** Ends an attempt: what that means for its step, for the others that share its account and host, and for the run. */
export function endAttempt(
  state: RunState,
  attempt: AttemptState,
  judged: EventData<"AttemptEnded">,
  now: number,
): RunEvent[] {
  const ended = excused(state, attempt, judged);
  return (
    sleepInstead(state, attempt, ended) ?? [
      ...(ended.outcome === "succeeded" ? afterSuccess(state, attempt.step) : []),
      { type: "AttemptEnded", data: ended },
      ...afterEnd(state, attempt, ended, now),
      ...tellEnd(state, attempt, ended),
      ...judgeCrash(state, attempt.step, ended, now),
    ]
  );
}
