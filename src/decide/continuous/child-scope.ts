import type { ContinuousBudget } from "../../model/continuous/continuous-spec.ts";
import type { ContinuousState, GoalRun } from "../../model/continuous/continuous-state.ts";
import type { Spending } from "../../model/continuous/continuous-spec.ts";

/** Work that is given to runs of its own: a goal of a session, or a workstream of a mission. */
export interface ChildGoal {
  readonly goal: { readonly id: string; readonly budget?: Spending | undefined };
  readonly status: "queued" | "issued" | "ended";
  readonly runs: readonly GoalRun[];
}

/** What has goals, one budget for the runs of all of them, and can be stopped. */
export interface ChildScope<Goal extends ChildGoal = ChildGoal> {
  readonly goals: Readonly<Record<string, Goal>>;
  readonly spec: { readonly budget: ContinuousBudget; readonly concurrency: number } | null;
  readonly stop: object | null;
  readonly pause: object | null;
  readonly runs: number;
  readonly today: ContinuousState["today"];
}
