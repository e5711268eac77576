import { noConflict } from "../../model/state/conflict.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** So many paths are remembered to tell how much of a run's work is in conflict. */
const OWN_MAX = 2_000;

export function noteCommitted({ conflict }: RunState, files: readonly string[]): void {
  conflict.own = [...new Set([...conflict.own, ...files])].slice(0, OWN_MAX);
}

export function noteConflict({ conflict }: RunState, files: readonly string[]): void {
  conflict.times += 1;
  conflict.files = files;
  conflict.pending = true;
}

export function noteTakenIn(state: RunState): void {
  state.conflict = noConflict();
}
