import type { ContinuousState, GoalRun, GoalState } from "../../model/continuous/continuous-state.ts";
import type { Ghost } from "../../model/continuous/continuous-events.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { isEnded } from "../../model/state/run-status.ts";
import type { ChildFact } from "./child-fact.ts";
import type { ChildScope } from "./child-scope.ts";
import type { ContinuousFacts } from "./continuous-facts.ts";
import { answeredPlan } from "./plan-answer.ts";
import { followedRuns, issuedGoals, type IssuedGoal } from "./goal-runs.ts";

/** What a run has spent is noted so often while nothing else of it changes. */
const NOTE_EVERY_MS = 30_000;

/** Notes what is news of the runs at work. */
export const seeRule = (
  state: Pick<ChildScope, "goals">,
  { children, now }: Pick<ContinuousFacts, "children" | "now">,
): RunEvent[] =>
  followedRuns(state).flatMap(({ goal, run }): RunEvent[] => {
    const fact = children.get(run.run);
    if (fact === undefined || !isNews(run, fact, now)) return [];
    const { status, spent, days, waits, ghost, failure } = fact;
    return [
      {
        type: "GoalSeen",
        data: {
          goal: goal.goal.id,
          run: run.run,
          status,
          spent,
          days: [...days],
          ...(waits === null ? {} : { waits }),
          ...(ghost === null ? {} : { ghost }),
          ...(failure === null ? {} : { failure }),
        },
      },
    ];
  });

function isNews(run: GoalRun, fact: ChildFact, now: number): boolean {
  if (run.status !== fact.status || JSON.stringify(run.waits) !== JSON.stringify(fact.waits)) return true;
  if (run.ghost?.fingerprint !== fact.ghost?.fingerprint) return true;
  const { usd, tokens, timeMs } = fact.spent;
  const hasSpent = usd !== run.spent.usd || tokens !== run.spent.tokens || timeMs !== run.spent.timeMs;
  return hasSpent && now - run.seenAt >= NOTE_EVERY_MS;
}

/** Ends goals whose run has ended, and gives those back of which a start showed nothing. */
export const settleRule = (
  state: ContinuousState,
  { now, refused, children }: ContinuousFacts,
): RunEvent[] => {
  for (const issued of issuedGoals(state)) {
    const text = refused.get(issued.run.run);
    if (text !== undefined && issued.run.status === null)
      return [{ type: "GoalEnded", data: { goal: issued.goal.goal.id, end: "not_started", text } }];
    const { goal, run } = issued;
    const answer = goal.isPlan && run.status === "completed" ? children.get(run.run)?.answer : undefined;
    const events =
      answer === undefined ? settle(state, issued, now) : answeredPlan(goal, run.run, answer.said);
    if (events.length > 0) return events;
  }
  return [];
};

function settle(state: ContinuousState, { goal, run }: IssuedGoal, now: number): RunEvent[] {
  const { status, ghost } = run;
  if (ghost !== null) return ghostEvents(state, { goal, run }, ghost, now);
  if (status === null || !isEnded(status)) return [];
  // Its answer is read before it is over.
  if (goal.isPlan && status === "completed") return [];
  const end = status === "completed" ? "done" : status === "cancelled" ? "cancelled" : "failed";
  const text = end === "failed" ? (run.failure ?? "the run failed") : `the run ${run.run} is ${status}`;
  return [{ type: "GoalEnded", data: { goal: goal.goal.id, end, text } }];
}

/** The run of a ghost that is not over is cancelled: the goal has another one from now on. */
function ghostEvents(
  state: ContinuousState,
  { goal, run }: IssuedGoal,
  ghost: Ghost,
  now: number,
): RunEvent[] {
  const cancel: RunEvent[] =
    run.status !== null && isEnded(run.status)
      ? []
      : [{ type: "RunsAsked", data: { what: "cancel", runs: [run.run] } }];
  const why = whyNoMore(state, goal, ghost);
  const { id } = goal.goal;
  if (why === null)
    return [
      ...cancel,
      {
        type: "GoalReturned",
        data: { goal: id, run: run.run, ghost, notBefore: now + backoffMs(state, goal) },
      },
    ];
  const text = `${why}: ${triesText([...goal.ghosts, ghost])}`;
  return [...cancel, { type: "GoalEnded", data: { goal: id, end: "ghost_retry_exhausted", text } }];
}

function whyNoMore(state: ContinuousState, { ghosts }: GoalState, { fingerprint }: Ghost): string | null {
  if (ghosts.some((before) => before.fingerprint === fingerprint)) return "it failed twice in the same way";
  const retries = state.spec?.ghosts.retries ?? 0;
  return ghosts.length >= retries ? `it was issued again ${String(retries)} times` : null;
}

function backoffMs(state: ContinuousState, { ghosts }: GoalState): number {
  const { baseMs, maxMs } = state.spec?.ghosts ?? { baseMs: 0, maxMs: 0 };
  return Math.min(baseMs * 2 ** ghosts.length, maxMs);
}

const triesText = (ghosts: readonly Ghost[]): string =>
  ghosts
    .map(({ text, attempts }, at) => `try ${String(at + 1)} (${String(attempts)} attempts): ${text}`)
    .join("; ");
