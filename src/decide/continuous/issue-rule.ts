import type { ContinuousState, GoalState } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { isClosing } from "./close-rule.ts";
import type { ContinuousFacts } from "./continuous-facts.ts";
import { goalRunId, issuedGoals, queuedGoals, takesPlace } from "./goal-runs.ts";
import { allowanceFor, nextDayAt, spentBudget } from "./session-room.ts";

/** Gives the next goal to a run of its own, as far as there is a place for it and something left to spend. */
export function issueRule(state: ContinuousState, { now }: ContinuousFacts): RunEvent[] {
  if (whyHeld(state, now) !== null) return [];
  const goal = nextGoal(state, now);
  if (goal === undefined) return [];
  const allowance = allowanceFor(state, goal, now);
  if (allowance === null) return [];
  const run = goalRunId(state.name, goal);
  return [{ type: "GoalIssued", data: { goal: goal.goal.id, run, allowance } }];
}

const nextGoal = (state: ContinuousState, now: number): GoalState | undefined =>
  queuedGoals(state).find(({ notBefore }) => notBefore <= now);

export type Held = "over" | "stopped" | "paused" | "closing" | "places" | "day_budget";

/** Why no goal starts now whatever is queued; null where one may. */
export function whyHeld(state: ContinuousState, now: number): Held | null {
  if (state.spec === null || state.end !== null) return "over";
  if (state.stop !== null) return "stopped";
  if (state.pause !== null) return "paused";
  if (isClosing(state, now)) return "closing";
  const taken = issuedGoals(state).filter(({ run }) => takesPlace(run)).length;
  if (taken >= state.spec.concurrency) return "places";
  return spentBudget(state, now) === null ? null : "day_budget";
}

/** When time alone lets a goal start next; Infinity where it does not. */
export function issueDueAt(state: ContinuousState, now: number): number {
  const held = whyHeld(state, now);
  if (held === "day_budget") return nextDayAt(now);
  if (held !== null) return Infinity;
  return queuedGoals(state).reduce((earliest, { notBefore }) => Math.min(earliest, notBefore), Infinity);
}
