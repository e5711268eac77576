import { AGAIN } from "../../fold/step/enqueue.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

export const isLaneOfWaiting = (lane: string): boolean => lane.endsWith(AGAIN);

export interface InTurn {
  readonly name: string;
  readonly step: StepState;
  readonly lane: string;
}

/** Those in line, first come first, one at a time; lanes that whoever looks has closed are left out from then on. */
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
