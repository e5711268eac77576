import type { HandedOn } from "../../model/mission/mission-events.ts";
import { directNeeds } from "../../model/mission/mission-problems.ts";
import type { MissionSpec } from "../../model/mission/mission-spec.ts";
import type { MissionState, WorkstreamRun, WorkstreamState } from "../../model/mission/mission-state.ts";
import { FAILED_KINDS } from "../../model/mission/mission-events.ts";

/** In the order of the file. */
export const workstreamsOf = (state: MissionState): WorkstreamState[] => Object.values(state.goals);

export const isAccepted = ({ accepted }: WorkstreamState): boolean => accepted !== null;
export const isDone = ({ end }: WorkstreamState): boolean => end?.kind === "done";
export const isFailed = ({ end, status }: WorkstreamState): boolean =>
  status === "ended" && end !== null && (FAILED_KINDS as readonly string[]).includes(end.kind);
export const isSkipped = ({ end }: WorkstreamState): boolean => end?.kind === "skipped";

/** The same names each time they are asked for: a try that was cut short finds its own run again. */
export const workstreamRunId = (name: string, { goal, runs }: WorkstreamState): string =>
  `${name}.${goal.id}.${String(runs.length + 1)}`;

/** What a workstream still waits for: workstreams that are not done, and barriers that are not open. */
export const missingNeeds = (state: MissionState, { goal }: WorkstreamState): string[] =>
  goal.needs.filter((need) => {
    const before = Object.hasOwn(state.goals, need) ? state.goals[need] : undefined;
    return before === undefined ? !Object.hasOwn(state.barriers, need) : !isDone(before);
  });

/** Those that were never launched and may be now. */
export const readyWorkstreams = (state: MissionState): WorkstreamState[] =>
  workstreamsOf(state).filter((one) => one.status === "queued" && missingNeeds(state, one).length === 0);

/** Every workstream that this one builds on, directly or through others. */
export function allNeeds(spec: MissionSpec, id: string): string[] {
  const found = new Set<string>();
  const visit = (one: string): void => {
    const workstream = spec.workstreams.find((other) => other.id === one);
    for (const need of workstream === undefined ? [] : directNeeds(spec, workstream))
      if (!found.has(need)) {
        found.add(need);
        visit(need);
      }
  };
  visit(id);
  return spec.workstreams.map((one) => one.id).filter((one) => found.has(one));
}

/** Those that build on this one and were launched already. */
export const launchedDependents = (state: MissionState, id: string): string[] =>
  state.spec === null
    ? []
    : workstreamsOf(state)
        .filter(
          ({ goal, runs }) => runs.length > 0 && allNeeds(state.spec as MissionSpec, goal.id).includes(id),
        )
        .map(({ goal }) => goal.id);

interface Given {
  /** Commits in its own repository that it begins on, in the order of acceptance. */
  readonly on: string[];
  readonly handed: HandedOn[];
}

/** What a workstream is given of those before it: their commits in its repository, their files, and everybody's decisions. */
export function givenTo(state: MissionState, { goal }: WorkstreamState): Given {
  const { spec } = state;
  if (spec === null) return { on: [], handed: [] };
  const needs = allNeeds(spec, goal.id);
  const before = spec.order
    .flatMap((id) => state.goals[id] ?? [])
    .filter((one) => one.goal.id !== goal.id && isDone(one));
  const on = before.flatMap((one) =>
    needs.includes(one.goal.id) &&
    one.goal.repository === goal.repository &&
    one.work?.commit !== null &&
    one.work !== null
      ? [one.work.commit]
      : [],
  );
  const handed = before.flatMap(({ goal: { id, decisions }, work }) =>
    (work?.artifacts ?? [])
      .filter(({ path }) => needs.includes(id) || path === decisions)
      .map((artifact) => ({ ...artifact, from: id })),
  );
  return { on, handed };
}

/** Runs whose fate may still change how the mission stands: those at work, and the last of those that failed. */
export const watchedRuns = (state: MissionState): WorkstreamRun[] =>
  workstreamsOf(state).flatMap((one) => {
    const run = one.runs.at(-1);
    return run !== undefined && !isSkipped(one) ? [run] : [];
  });

/** Done, in the order of acceptance, with something to accept. */
export const toAccept = (state: MissionState): WorkstreamState[] =>
  (state.spec?.order ?? []).flatMap((id) => {
    const one = state.goals[id];
    return one !== undefined && isDone(one) && one.work?.commit !== null && one.work !== null ? [one] : [];
  });

/** Every workstream is done or was left out, and one at least is done. */
export const isAllDone = (state: MissionState): boolean =>
  workstreamsOf(state).every((one) => isDone(one) || isSkipped(one)) && workstreamsOf(state).some(isDone);

/** What a person approves: the commit of each workstream, in order; the same work has the same words. */
export const workShown = (state: MissionState): Record<string, string> =>
  Object.fromEntries(toAccept(state).map(({ goal, work }) => [goal.id, work?.commit ?? ""]));
