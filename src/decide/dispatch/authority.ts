import { reviews } from "../../fold/attempt/reader.ts";
import { lastKept, writes } from "../../fold/workspace/workspace-place.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

/**
 * Whether a step may begin beside those at work in its tree (G1): one that writes has the tree to itself until its
 * work is accepted; those that only review may be there together. What is proposed is made in a copy, and what is
 * written in a worktree of the step's own, beside anybody.
 */
export function mayWorkBeside(state: RunState, step: StepState, starting: readonly StepState[]): boolean {
  const others = [
    ...Object.values(state.attempts).map((attempt) => attempt.step),
    ...Object.keys(state.checking),
  ]
    .map((name) => state.steps[name])
    .concat(starting)
    .filter((other) => other !== step && (writes(other) || reviews(other)));
  // What was changed without authority is put back before anybody builds on it.
  if (isLeftOver(state)) return false;
  if (state.settings.workspace.isolation === "attempt") return true;
  return writes(step) ? others.length === 0 && state.readSince === null : !others.some(writes);
}

/** Whether one that writes has the tree: nothing else can begin, and nobody needs to look at what waits. */
export const isTreeTaken = (state: RunState): boolean =>
  state.settings.workspace.isolation !== "attempt" &&
  (Object.values(state.attempts).some(({ step }) => writes(state.steps[step])) ||
    Object.keys(state.checking).some((name) => writes(state.steps[name])));

const isLeftOver = (state: RunState): boolean =>
  state.readSince !== null && !isSomebodyThere(state) && !isReadChecked(state);

/** Those with trees of their own are not in the run's. */
const isSomebodyThere = ({ attempts, steps, settings }: RunState): boolean =>
  settings.workspace.isolation === "attempt"
    ? Object.values(attempts).some(({ step }) => reviews(steps[step]))
    : Object.keys(attempts).length > 0;

/** Whether the work of a step without authority to write is being looked at. */
const isReadChecked = (state: RunState): boolean =>
  Object.keys(state.checking).some((name) => reviews(state.steps[name]));

/** What steps that may not write have changed is put back, once their outputs were taken and they are gone. */
export function decideAuthority(state: RunState): RunEvent[] {
  if (state.readSince === null || state.restoring !== null || !isLeftOver(state)) return [];
  if (state.status !== "running" && state.status !== "pausing") return [];
  return [{ type: "RestoreWanted", data: { checkpoint: state.readSince, by: "holdfast", putBack: true } }];
}

/** Whether something is still to be put back before the run may rest or end. */
export const owesPutBack = (state: RunState): boolean => state.readSince !== null && !isReadChecked(state);

/** Null where something is to be put back; otherwise why nothing has to be. */
export function nothingToPutBack(state: RunState, checkpoint: string): string | null {
  const before = state.checkpoints[checkpoint]?.snapshot.digest;
  const after = lastKept(state)?.snapshot.digest;
  return before !== undefined && before === after ? "nothing was changed" : null;
}
