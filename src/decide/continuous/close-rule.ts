import type { ContinuousFacts } from "./continuous-facts.ts";
import { goalsOf, issuedGoals, leftOver, queuedGoals, takesPlace } from "./goal-runs.ts";
import { isOutOfAllowance } from "./raise-rule.ts";
import { spentBudget, type SpentBudget } from "./session-room.ts";
import type { ContinuousEndKind } from "../../model/continuous/continuous-events.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";

interface Closing {
  readonly end: ContinuousEndKind;
  readonly text: string;
}

/** Ends of goals that count as a failure of the session. */
const FAILURES: readonly string[] = ["failed", "ghost_retry_exhausted", "not_started"];

/** Whether the session starts nothing more, and ends once nothing is at work. */
export const isClosing = (state: ContinuousState, now: number): boolean => closingOf(state, now) !== null;

/** Ends a session as soon as what is at work has come to rest. */
export function closeRule(state: ContinuousState, { now }: ContinuousFacts): RunEvent[] {
  if (state.stop !== null || state.intake.readAt === null) return [];
  const closing = closingOf(state, now) ?? overOf(state);
  if (closing === null || issuedGoals(state).some(({ run }) => takesPlace(run))) return [];
  // A person who paused it decides when it goes on, and so when it ends; a run that waits for one is no reason to stay.
  if (state.pause?.why === "operator") return [];
  return [{ type: "ContinuousEnded", data: { ...closing, left: leftOver(state) } }];
}

function closingOf(state: ContinuousState, now: number): Closing | null {
  const failed = goalsOf(state).find(({ end }) => end !== null && FAILURES.includes(end.kind));
  if (failed !== undefined && state.spec?.onFailed === "stop")
    return { end: "goal_failed", text: `goal ${failed.goal.id}: ${failed.end?.text ?? ""}` };
  const spent = spentBudget(state, now);
  // What is left is over when there is nothing more to spend it on.
  const isWanted = queuedGoals(state).length > 0 || issuedGoals(state).some(isOutOfAllowance);
  return spent?.scope === "total" && isWanted
    ? { end: "session_budget_exhausted", text: spentText(spent) }
    : null;
}

/** Everything is done, and the intake has nothing more. */
function overOf(state: ContinuousState): Closing | null {
  if (goalsOf(state).some(({ status }) => status !== "ended") || Object.keys(state.triggers).length > 0)
    return null;
  const { policy, rounds } = state.spec?.idle ?? { policy: "end" };
  const { readAt, idleRounds, problems } = state.intake;
  if (policy === "end")
    return readAt !== null && readAt >= state.movedAt && problems.length === 0
      ? { end: "completed", text: "every goal is over" }
      : null;
  return rounds !== undefined && idleRounds >= rounds
    ? { end: "idle", text: `${String(idleRounds)} rounds without a new goal` }
    : null;
}

const spentText = ({ kind, spent, of }: SpentBudget): string => {
  if (kind === "usd") return `budget exceeded: $${spent.toFixed(2)} of $${of.toFixed(2)}`;
  if (kind === "timeMs") return `budget exceeded: ${seconds(spent)} of ${seconds(of)} at work`;
  return `budget exceeded: ${String(spent)} of ${String(of)} ${kind}`;
};

const seconds = (ms: number): string => `${String(Math.round(ms / 1_000))} s`;
