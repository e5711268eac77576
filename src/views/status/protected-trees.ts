import { rulesOfTree } from "../../decide/gate/guard-rules.ts";
import type { RunState } from "../../model/state/run-state.ts";

export interface ProtectedTree {
  readonly tree: string;
  readonly rules: readonly string[];
  /** Digest of the list of what is trusted there; null before it was looked at. */
  readonly trusted: string | null;
}

/** Where a run has protected files, and which. */
export const protectedTrees = (state: RunState): ProtectedTree[] =>
  Object.entries(state.guards).map(([tree, { trusted }]) => ({
    tree,
    trusted,
    rules: rulesOfTree(state, tree),
  }));
