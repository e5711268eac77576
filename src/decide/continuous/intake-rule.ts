import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { ContinuousFacts } from "./continuous-facts.ts";
import { goalsOf } from "./goal-runs.ts";
import { isClosing } from "./close-rule.ts";

/** Nothing is queued and nothing is at work. */
export const isIdle = (state: ContinuousState): boolean =>
  goalsOf(state).every(({ status }) => status === "ended");

/** When the intake is to be read next; Infinity where it is not. */
export function intakeDueAt(state: ContinuousState, now: number): number {
  const { spec, intake, begunAt, movedAt } = state;
  if (spec === null || state.end !== null || state.stop !== null || state.pause !== null) return Infinity;
  if (intake.readAt === null) return begunAt;
  if (isClosing(state, now)) return Infinity;
  const { policy, everyMs, maxMs } = spec.idle;
  if (policy === "end") {
    if (intake.problems.length > 0) return intake.readAt + everyMs;
    // Once more when all that was known of is done: goals may have been added meanwhile.
    return isIdle(state) && intake.readAt < movedAt ? now : Infinity;
  }
  // A planner is asked as soon as there is nothing to do.
  if (policy === "plan" && isIdle(state) && intake.readAt < movedAt) return now;
  if (policy === "wait" || !isIdle(state)) return intake.readAt + everyMs;
  return intake.readAt + Math.min(everyMs * 2 ** intake.idleRounds, Math.max(everyMs, maxMs));
}

/** Takes goals in that are new by their id. Of a reading in between that found nothing new nothing is recorded. */
export function intakeRule(state: ContinuousState, { intake, now }: ContinuousFacts): RunEvent[] {
  if (intake === null || intakeDueAt(state, now) > now) return [];
  const seen = new Set([...Object.keys(state.goals), ...Object.keys(state.triggers)]);
  const goals = intake.goals.filter(({ id }) => !seen.has(id) && seen.add(id));
  const idle = isIdle(state);
  const problems = intake.problems.slice(0, PROBLEMS_MAX);
  const isSame = JSON.stringify(problems) === JSON.stringify(state.intake.problems);
  if (goals.length === 0 && !idle && isSame && state.intake.readAt !== null) return [];
  return [{ type: "IntakeRead", data: { goals: goals.slice(0, GOALS_MAX), problems, idle } }];
}

const PROBLEMS_MAX = 20;
/** So many are taken in at one reading; what is left comes with the next. */
const GOALS_MAX = 1_000;
