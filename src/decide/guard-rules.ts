import type { RunState, StepState } from "../model/run-state.ts";
import type { GuardState } from "../model/kept-state.ts";

export const isGuarded = ({ settings }: RunState): boolean =>
  settings.protected.usual === true || settings.protected.paths.length > 0;

/** Whether a step's work is looked at before it counts: by checks, for its outputs, or for protected files. */
export const isChecked = (state: RunState, { spec }: StepState): boolean =>
  spec.checks.length > 0 || (spec.outputs ?? []).length > 0 || isGuarded(state);

export const newGuard = (): GuardState => ({
  trusted: null,
  checkedAt: 0,
  fresh: false,
  exposedTo: [],
  lookedWith: [],
  report: null,
  failures: 0,
  lastFailure: "",
  found: 0,
  bringBack: false,
});

/** An agent that begins may change what it finds. */
export function exposeGuards(state: RunState, attempt: string): void {
  for (const guard of Object.values(state.guards)) {
    guard.fresh = false;
    if (!guard.exposedTo.includes(attempt)) guard.exposedTo.push(attempt);
  }
}
