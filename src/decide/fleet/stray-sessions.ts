import type { HomeHost } from "../../model/host/supervision.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";

/**
 * Whether a session on this host belongs to nobody any more: its run is over or was removed, or has another home. A run
 * that waits for this host, or that somebody is about to adopt, still wants it.
 */
export function isStray(state: Readonly<RunState> | null, here: HomeHost): boolean {
  if (state === null) return true;
  const { claim, status } = state;
  return isEnded(status) || (claim.home !== undefined && claim.home.id !== here.id);
}
