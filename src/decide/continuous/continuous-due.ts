import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import { issuedGoals, takesPlace } from "./goal-runs.ts";
import { digestDueAt } from "./digest-rule.ts";
import { intakeDueAt } from "./intake-rule.ts";
import { issueDueAt } from "./issue-rule.ts";
import { isOutOfAllowance } from "./raise-rule.ts";
import { triggerDueAt } from "./trigger-rule.ts";
import { nextDayAt } from "./session-room.ts";

/** When time alone lets a session do something; Infinity where only its runs or people do. */
export function continuousDueAt(state: ContinuousState, now: number): number {
  if (state.spec === null || state.end !== null || state.stop !== null) return Infinity;
  // A digest says every day what blocks it.
  const digest = digestDueAt(state, now);
  if (state.pause !== null) return state.pause.why === "blocked" ? digest : Infinity;
  const raise = issuedGoals(state).some(isOutOfAllowance) ? nextDayAt(now) : Infinity;
  return Math.min(intakeDueAt(state, now), issueDueAt(state, now), triggerDueAt(state, now), raise, digest);
}

/** How a session is listed: by the words of runs, so that it is found like them. */
export function continuousStatus(state: ContinuousState): RunStatus {
  if (state.end !== null) return state.end.kind === "goal_failed" ? "failed" : "completed";
  if (state.stop !== null) return "paused";
  if (state.pause !== null) return state.pause.why === "blocked" ? "blocked" : "paused";
  return "running";
}

/** Whether a supervisor has to stay for it: runs at work have an owner of their own. */
export const isAtWork = (state: ContinuousState, now: number): boolean =>
  continuousDueAt(state, now) < Infinity || issuedGoals(state).some(({ run }) => takesPlace(run));
