import type { RunState } from "../model/run-state.ts";

/** The tree that the run looks after: its worktree, or the folder that it was asked for. */
export const treeOf = (state: RunState): string => state.workspace.worktree?.tree ?? state.cwd;

/** Where a step is worked and checked: in the run's folder, or in a copy of the tree where it only proposes. */
export function cwdOf({ cwd, workspace: { worktree }, proposals }: RunState, step: string): string {
  const copy = proposals.copies[step]?.tree;
  if (copy === undefined) return cwd;
  const inside = worktree === null ? "" : worktree.cwd.slice(worktree.tree.length);
  return `${copy}${inside}`;
}

/** Whose store keeps snapshots of that tree. */
export const projectOf = (state: RunState): { readonly project?: string } =>
  state.workspace.worktree === null ? {} : { project: state.workspace.worktree.project };

/** What agents, checks and commands of a worktree find in their environment. */
export function environmentOf(
  { workspace: { worktree }, proposals }: RunState,
  step?: string,
): Record<string, string> {
  if (worktree === null || (step !== undefined && Object.hasOwn(proposals.copies, step))) return {};
  const { tree, branch, project, ports } = worktree;
  const numbers =
    ports === null
      ? {}
      : { HOLDFAST_PORT: String(ports.first), HOLDFAST_PORT_LAST: String(ports.first + ports.count - 1) };
  return { HOLDFAST_WORKTREE: tree, HOLDFAST_BRANCH: branch, HOLDFAST_PROJECT: project, ...numbers };
}

/** Whether the work of each step is committed when it is done. */
export const commitsSteps = ({ settings: { commit, workspace } }: RunState): boolean =>
  commit.when === "step" || (commit.when === "auto" && workspace.isolation === "run");

/** The tree that a clean copy is made of. */
export const cleanCopy = (state: RunState, at: number) => ({ tree: treeOf(state), ...projectOf(state), at });
