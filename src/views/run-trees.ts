import { ownTrees, type OwnTree } from "../decide/own-trees.ts";
import type { RunState } from "../model/state/run-state.ts";

/** The worktrees of a run, each with the last commit that its journal knows of it. */
export const runTrees = (state: RunState): readonly OwnTree[] => ownTrees(state);
