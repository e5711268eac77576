import { isTreeTaken } from "./authority.ts";
import { holdOf } from "../resources/shared-resources.ts";
import type { Due } from "../rules/rule.ts";
import { AGAIN } from "../../fold/step/enqueue.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

const isLaneOfWaiting = (lane: string): boolean => lane.endsWith(AGAIN);

export interface InTurn {
  readonly name: string;
  readonly step: StepState;
  readonly lane: string;
}

/**
 * Those in line, first come first, one at a time; lanes that the one that looks has closed are left out from then on.
 */
export function* inLine(state: RunState, closed: ReadonlySet<string>): Generator<InTurn> {
  const heads = new Map<string, InTurn>();
  const at = (lane: string, name: string | null): void => {
    const step = name === null ? undefined : state.steps[name];
    if (name === null || step === undefined) heads.delete(lane);
    else heads.set(lane, { name, step, lane });
  };
  for (const lane in state.ready.lanes) at(lane, state.ready.lanes[lane]?.first ?? null);
  for (;;) {
    let next: InTurn | null = null;
    for (const head of heads.values())
      if (!closed.has(head.lane) && (next === null || nthOf(head) < nthOf(next))) next = head;
    if (next === null) return;
    yield next;
    at(next.lane, next.step.queued?.after ?? null);
  }
}

const nthOf = ({ step }: InTurn): number => step.queued?.nth ?? Infinity;

/** The first of each lane. */
export const firstInLine = (state: RunState): StepState[] =>
  Object.values(state.ready.lanes).flatMap(({ first }) => state.steps[first] ?? []);

/** So many of those that wait out a time of their own are looked at. */
const LOOKS_MAX = 256;

/** When the next steps may begin; by name where a step waits for its next attempt. */
export const readyDues = (state: RunState, now: number): Due[] => [
  ...(state.status === "running" && !isTreeTaken(state) ? inLineDues(state, now) : []),
  ...Object.values(state.steps).flatMap(({ spec, notBefore }): Due[] =>
    notBefore === null || notBefore <= now
      ? []
      : [{ at: notBefore, what: `the next attempt of step ${spec.name}`, named: "only" }],
  ),
];

function inLineDues(state: RunState, now: number): Due[] {
  const fresh = Object.keys(state.ready.lanes).filter((lane) => !isLaneOfWaiting(lane));
  const dues = firstInLine(state).map((step): Due => ({ at: holdOf(state, step, now)?.until ?? now }));
  let looks = 0;
  for (const { step } of inLine(state, new Set(fresh))) {
    if ((looks += 1) > LOOKS_MAX) break;
    dues.push({ at: Math.max(step.notBefore ?? now, holdOf(state, step, now)?.until ?? now) });
  }
  return dues;
}
