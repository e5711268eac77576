import type { ClaimState } from "../../model/host/supervision.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** What is undefined is left out: a state is plain JSON, and its snapshot the same. */
export function changeClaim(state: RunState, change: Partial<ClaimState>): void {
  const { at, missing, ...others } = { ...state.claim, ...change };
  const known = Object.entries(others).filter(([, value]) => value !== undefined);
  state.claim = { at, missing, ...Object.fromEntries(known) };
}
