import { isAboutToResume, issuedGoals, takesPlace } from "../continuous/goal-runs.ts";
import { allowanceFor, spentBudget } from "../continuous/session-room.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { Asked } from "../../model/host/store-resource.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { givenTo, isFailed, workstreamRunId } from "./workstreams.ts";

interface LaunchedBy extends Asked {
  readonly by: string;
  readonly wave: number | null;
}

/** Gives a workstream to a run; what is left of its last one is ended. Empty where nothing is left to spend on it. */
export function launchEvents(
  state: MissionState,
  one: WorkstreamState,
  { now, ...who }: LaunchedBy & { readonly now: number },
): RunEvent[] {
  const allowance = allowanceFor(state, one, now);
  if (allowance === null) return [];
  const retry = isFailed(one);
  const last = one.runs.at(-1);
  const isOpen = retry && last !== undefined && last.status !== null && !isEnded(last.status);
  return [
    ...(isOpen ? [{ type: "RunsAsked" as const, data: { what: "cancel" as const, runs: [last.run] } }] : []),
    {
      type: "WorkstreamLaunched",
      data: {
        ...who,
        workstream: one.goal.id,
        run: workstreamRunId(state.name, one),
        allowance,
        retry,
        ...givenTo(state, one),
      },
    },
  ];
}

/** How many runs of it work, or are about to. */
export const placesTaken = (state: MissionState): number =>
  issuedGoals(state).filter(({ run }) => takesPlace(run)).length;

/** Runs that wait for a person. */
export const waitingRuns = (
  state: MissionState,
): { readonly goal: WorkstreamState; readonly run: WorkstreamState["runs"][number] }[] =>
  issuedGoals(state).filter(
    ({ run }) => run.waits !== null && !isAboutToResume(run) && run.waits.reason !== "budget_exhausted",
  );

/** Why nothing is launched although something may be ready; null where it may be. */
export function whyNoLaunch(state: MissionState, now: number): string | null {
  if (state.end !== null) return `the mission is over: ${state.end.text}`;
  if (state.stop !== null) return `the mission was stopped by ${state.stop.by}`;
  if (state.pause !== null) return `the mission was paused by ${state.pause.by}`;
  if (state.acceptance !== null) return "its work is being accepted";
  const spent = spentBudget(state, now);
  return spent === null
    ? null
    : `the budget of the mission is spent (${spent.kind}: ${String(spent.spent)} of ${String(spent.of)})`;
}
