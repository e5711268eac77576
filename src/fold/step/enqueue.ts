import type { RunState, StepState } from "../../model/state/run-state.ts";
import { kindOfWork } from "../attempt/reader.ts";

/**
 * Steps that may begin wait in lanes: by what they may do in the tree, by their agent, and apart where they wait out a
 * time of their own. Whether a step may begin beside others and whether its agent is held is the same for all of a
 * lane, so a turn looks at the first of each and not at thousands (G1). To come and to go costs the same regardless of
 * the length: each step knows its neighbours.
 */
const laneOf = (step: StepState): string =>
  `${kindOfWork(step)}/${step.spec.agent}${step.notBefore === null ? "" : AGAIN}`;

export const AGAIN = "/again";

/** Puts a step in line, behind all who are there; one that stands in line stays where it is. */
export function enqueue(state: RunState, name: string): void {
  const step = state.steps[name];
  if (step === undefined || step.queued !== null) return;
  const { ready } = state;
  const lane = laneOf(step);
  const line = ready.lanes[lane];
  ready.count += 1;
  ready.nth += 1;
  step.queued = { lane, nth: ready.nth, before: line?.last ?? null, after: null };
  if (line === undefined) {
    ready.lanes[lane] = { first: name, last: name };
    return;
  }
  const before = state.steps[line.last]?.queued;
  if (before !== undefined && before !== null) before.after = name;
  line.last = name;
}

export function dequeue(state: RunState, name: string): void {
  const step = state.steps[name];
  if (step === undefined || step.queued === null) return;
  const { lane, before, after } = step.queued;
  const line = state.ready.lanes[lane];
  step.queued = null;
  state.ready.count -= 1;
  const earlier = before === null ? null : (state.steps[before]?.queued ?? null);
  const later = after === null ? null : (state.steps[after]?.queued ?? null);
  if (earlier !== null) earlier.after = after;
  if (later !== null) later.before = before;
  if (line === undefined) return;
  if (after !== null && before === null) line.first = after;
  if (before !== null && after === null) line.last = before;
  if (before === null && after === null) Reflect.deleteProperty(state.ready.lanes, lane);
}

/** What decides on a step's lane has changed. */
export function requeue(state: RunState, name: string): void {
  if ((state.steps[name]?.queued ?? null) === null) return;
  dequeue(state, name);
  enqueue(state, name);
}
