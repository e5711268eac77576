import {
  askedSince,
  asksItself,
  asksPeople,
  hasLoopVerdict,
  isLiveWait,
  isManual,
} from "../../fold/attempt/live-wait.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { isQuarantined } from "./quarantine.ts";

/** When the session of an attempt is suspended; null while the run needs nobody, and for people's own work. */
export function suspendAt(state: RunState, attempt: AttemptState): number | null {
  if (!asksPeople(state) || isManual(state, attempt)) return null;
  const since = askedSince(state, attempt);
  if (hasLoopVerdict(attempt) || isQuarantined(state)) return since;
  const { turnMs, waitMs } = state.settings.suspend;
  if (isLiveWait(state, attempt)) return since + waitMs;
  // Nobody has to be ended whose turn is over: agents end with it, and a program in a terminal is left by its driver.
  return asksItself(state, attempt) ? since : since + turnMs;
}

/** Why the session is to be suspended now; null where it is not. */
export function whySuspend(state: RunState, attempt: AttemptState, now: number): string | null {
  const due = suspendAt(state, attempt);
  if (due === null || now < due) return null;
  return `the run waits for people (${state.blocked?.reason ?? state.status}); its session is suspended`;
}

export const suspendAttempt = ({ id }: Pick<AttemptState, "id">, why: string): RunEvent => ({
  type: "AttemptEnding",
  data: { attempt: id, to: "suspended", why },
});
