import type { RunState } from "../../model/state/run-state.ts";
import { stepTreeOf } from "./workspace-place.ts";

/** Files of the run's tree may have changed, or are about to. */
export function moved(state: RunState): void {
  state.saved = false;
  state.saving = false;
  state.drift.fresh = false;
}

/** Those of all trees of the run. */
export function allMoved(state: RunState): void {
  moved(state);
  for (const own of Object.values(state.workspace.trees)) {
    own.saved = false;
    own.saving = false;
  }
}

/** Those of the tree that a step works in. */
export function movedBy(state: RunState, step: string): void {
  const own = stepTreeOf(state, step);
  if (own === null) return moved(state);
  own.saved = false;
  own.saving = false;
  state.drift.fresh = false;
}

/** An attempt begins: what is run before each is run anew before the next. */
export function noteBegun(state: RunState, step: string): void {
  Reflect.deleteProperty((stepTreeOf(state, step) ?? state.workspace).ran, "run");
  movedBy(state, step);
}
