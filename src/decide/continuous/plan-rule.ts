import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { isClosing } from "./close-rule.ts";
import type { ContinuousFacts } from "./continuous-facts.ts";
import { goalsOf } from "./goal-runs.ts";
import { isIdle } from "./intake-rule.ts";

/**
 * Where nothing is left to do, a planner is asked for the next goals: by a run of its own, like any goal. It is asked
 * again only when something has changed since: the vision, the repository, or what became of other goals.
 */
export function planRule(state: ContinuousState, { intake, now }: ContinuousFacts): RunEvent[] {
  if (state.spec?.idle.policy !== "plan" || state.stop !== null || state.pause !== null) return [];
  if (!isIdle(state) || isClosing(state, now) || typeof intake?.evidence !== "string") return [];
  const evidence = `${intake.evidence}.${String(endsSeen(state))}`;
  if (evidence === state.plan.evidence) return [];
  return [{ type: "PlanWanted", data: { goal: planId(state), evidence } }];
}

/** What a planner could learn of: what became of goals, but for those that only planned. */
const endsSeen = (state: ContinuousState): number =>
  goalsOf(state).filter(({ end, isPlan }) => end !== null && !isPlan).length;

/** An intake may have a goal of that name. */
function planId({ goals, plan }: ContinuousState): string {
  for (let count = plan.count + 1; ; count += 1) {
    const id = `plan-${String(count)}`;
    if (!Object.hasOwn(goals, id)) return id;
  }
}
