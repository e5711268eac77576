import type { ContinuousState, GoalRun } from "../../model/continuous/continuous-state.ts";
import { type Spending, SPENDING_KINDS, type SpendingKind } from "../../model/continuous/continuous-spec.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { ChildGoal, ChildScope } from "./child-scope.ts";
import type { ContinuousFacts } from "./continuous-facts.ts";
import { isAboutToResume, issuedGoals, queuedCount, type IssuedGoal } from "./goal-runs.ts";
import { freeRoom, partsWanted, shareOf } from "./session-room.ts";

/** Its part of the session's budget is spent, and its goal's own budget is not. */
export const isOutOfAllowance = (issued: IssuedGoal<ChildGoal>): boolean => scarceKinds(issued).length > 0;

function scarceKinds({ goal, run }: IssuedGoal<ChildGoal>): SpendingKind[] {
  if (run.waits?.reason !== "budget_exhausted") return [];
  const own = goal.goal.budget ?? {};
  return SPENDING_KINDS.filter((kind) => {
    const allowed = run.allowance[kind];
    return allowed !== undefined && run.spent[kind] >= allowed && allowed < (own[kind] ?? Infinity);
  });
}

/** Gives a run that has spent its part another one, as long as the session has something left. */
export function raiseRule(state: ChildScope, { now }: Pick<ContinuousFacts, "now">): RunEvent[] {
  if (state.stop !== null || state.pause !== null) return [];
  for (const issued of issuedGoals(state)) {
    const scarce = scarceKinds(issued);
    if (scarce.length === 0) continue;
    const share = shareOf(freeRoom(state, now), partsWanted(state, 1 + queuedCount(state)));
    if (share === null) continue;
    const { goal, run } = issued;
    const allowance: Spending = { ...run.allowance };
    for (const kind of scarce)
      allowance[kind] = Math.min(run.spent[kind] + (share[kind] ?? 0), goal.goal.budget?.[kind] ?? Infinity);
    if (isSame(allowance, run.allowance)) continue;
    return [{ type: "AllowanceRaised", data: { goal: goal.goal.id, run: run.run, allowance } }];
  }
  return [];
}

const isSame = (one: Spending, other: Spending): boolean =>
  SPENDING_KINDS.every((kind) => one[kind] === other[kind]);

/** Runs that wait for a person, oldest first; not those that only lack a part of the session's own budget. */
export const blockingRuns = (state: ContinuousState): GoalRun[] =>
  issuedGoals(state).flatMap(({ goal, run }) =>
    run.waits === null || isAboutToResume(run) || isOutOfAllowance({ goal, run }) ? [] : [run],
  );
