import type { RunState } from "../model/run-state.ts";
import type { GuardState } from "../model/workspace-state.ts";

export const isGuarded = ({ settings }: RunState): boolean =>
  settings.protected.usual === true || settings.protected.paths.length > 0;

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
