import type { ContinuousState, GoalRun } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { ContinuousFacts } from "./continuous-facts.ts";
import { isAboutToResume, issuedGoals } from "./goal-runs.ts";
import { isOutOfAllowance } from "./raise-rule.ts";

/** Has the runs of a stopped session paused; those of one that was resumed go on. */
export function stopRule(state: ContinuousState, { children }: ContinuousFacts): RunEvent[] {
  const runs = issuedGoals(state).map(({ run }) => run);
  if (state.stop !== null) {
    const working = runs.filter(({ run, asked }) => {
      const status = children.get(run)?.status;
      return asked?.what !== "pause" && (status === "queued" || status === "running");
    });
    return askAll("pause", working);
  }
  // Not before it has paused: until then a resume would be refused, and the pause may still be in its inbox.
  return askAll(
    "resume",
    runs.filter(({ run, asked }) => asked?.what === "pause" && children.get(run)?.status === "paused"),
  );
}

const askAll = (what: "pause" | "resume", runs: readonly GoalRun[]): RunEvent[] =>
  runs.length === 0 ? [] : [{ type: "RunsAsked", data: { what, runs: runs.map(({ run }) => run) } }];

/** A run that waits for a person pauses the session, until it does not wait any more. */
export function blockRule(state: ContinuousState): RunEvent[] {
  if (state.stop !== null || state.spec?.onBlocked !== "pause") return [];
  const [blocking] = blockingRuns(state);
  const { pause } = state;
  if (pause === null && blocking !== undefined)
    return [{ type: "ContinuousPaused", data: { why: "blocked", run: blocking.run } }];
  if (pause?.why !== "blocked" || pause.run === blocking?.run) return [];
  return blocking === undefined
    ? [{ type: "ContinuousResumed", data: { why: "unblocked" } }]
    : [{ type: "ContinuousPaused", data: { why: "blocked", run: blocking.run } }];
}

/** Runs that wait for a person, oldest first; not those that only lack a part of the session's own budget. */
export const blockingRuns = (state: ContinuousState): GoalRun[] =>
  issuedGoals(state).flatMap(({ goal, run }) =>
    run.waits === null || isAboutToResume(run) || isOutOfAllowance({ goal, run }) ? [] : [run],
  );
