import type { GoalRun } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { ChildScope } from "./child-scope.ts";
import type { ContinuousFacts } from "./continuous-facts.ts";
import { issuedGoals } from "./goal-runs.ts";

/** Has the runs of a stopped session paused; those of one that was resumed go on. */
export function stopRule(
  state: Pick<ChildScope, "goals" | "stop">,
  { children }: Pick<ContinuousFacts, "children">,
): RunEvent[] {
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
