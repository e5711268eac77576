import type { RunState } from "../model/state/run-state.ts";

/** A worktree of a run, and the last commit that its journal knows of it. */
export interface OwnTree {
  readonly project: string;
  readonly tree: string;
  readonly branch: string;
  readonly commit: string;
}

export function ownTrees({ workspace: { worktree, trees, commit } }: RunState): readonly OwnTree[] {
  const steps = Object.values(trees).map((one) => ({ ...one, commit: one.from }));
  if (worktree === null) return steps;
  const last = commit.last?.branch === worktree.branch ? commit.last.commit : worktree.from;
  return [{ ...worktree, commit: last }, ...steps];
}
