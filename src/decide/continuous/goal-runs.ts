import type { EndedGoal } from "../../model/continuous/continuous-spec.ts";
import type { ContinuousState, GoalRun, GoalState } from "../../model/continuous/continuous-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import type { ChildGoal, ChildScope } from "./child-scope.ts";

/** A goal with the run it was given to last. */
export interface IssuedGoal<Goal extends ChildGoal = GoalState> {
  readonly goal: Goal;
  readonly run: Goal["runs"][number];
}

/** In the order in which they were read. */
export const goalsOf = (state: ContinuousState): GoalState[] => Object.values(state.goals);

export const issuedGoals = <Goal extends ChildGoal>({
  goals,
}: Pick<ChildScope<Goal>, "goals">): IssuedGoal<Goal>[] =>
  Object.values(goals).flatMap((goal) => {
    const run = goal.status === "issued" ? goal.runs.at(-1) : undefined;
    return run === undefined ? [] : [{ goal, run }];
  });

/**
 * Runs that may still spend something: those of issued goals, and those that were given up and have not ended yet. A run
 * works on until it has received the cancellation.
 */
export const followedRuns = <Goal extends ChildGoal>({
  goals,
}: Pick<ChildScope<Goal>, "goals">): IssuedGoal<Goal>[] =>
  Object.values(goals).flatMap((goal) =>
    goal.runs.flatMap((run) => {
      const isCurrent = goal.status === "issued" && run === goal.runs.at(-1);
      const isGivenUp = run.asked?.what === "cancel" && (run.status === null || !isEnded(run.status));
      return isCurrent || isGivenUp ? [{ goal, run }] : [];
    }),
  );

/** A run that works, is about to, or goes on after a stop: it takes one of the places. */
export const takesPlace = (run: GoalRun): boolean =>
  (run.waits === null || isAboutToResume(run)) && (run.status === null || !isEnded(run.status));

/** The session has paused it, and lets it go on. */
export const isAboutToResume = ({ asked, waits }: GoalRun): boolean =>
  asked?.what === "resume" && waits?.reason === PAUSED;

/** What a run waits for that somebody has paused. */
export const PAUSED = "paused";

/** Higher priorities first, then the order in which they were read. */
export const queuedGoals = (state: ContinuousState): GoalState[] =>
  goalsOf(state)
    .filter(({ status }) => status === "queued")
    .sort((a, b) => b.goal.priority - a.goal.priority || a.order - b.order);

export const queuedCount = ({ goals }: Pick<ChildScope, "goals">): number =>
  Object.values(goals).filter(({ status }) => status === "queued").length;

/** Words for people: the ids of what is not over, in the order in which it would have gone on. */
export const leftOver = (state: ContinuousState): string[] => [
  ...issuedGoals(state).map(({ goal }) => goal.goal.id),
  ...queuedGoals(state).map(({ goal }) => goal.id),
];

/** What became of goals, newest first, for a planner: without what only planned. */
export const endedGoals = (state: ContinuousState): EndedGoal[] =>
  goalsOf(state)
    .flatMap(({ goal, end, isPlan }) => (end === null || isPlan ? [] : [{ goal: goal.goal, ...end }]))
    .sort((a, b) => b.at - a.at)
    .slice(0, ENDED_SHOWN);

const ENDED_SHOWN = 50;

/** The same names each time they are asked for: a try that was cut short finds its own run again. */
export const goalRunId = (name: string, goal: GoalState): string =>
  `${name}.${goal.goal.id}.${String(goal.runs.length + 1)}`;
