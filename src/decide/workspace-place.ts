import type { RunState } from "../model/run-state.ts";
import { proposes } from "./authority.ts";

/** The tree that the run looks after: its worktree, or the folder that it was asked for. */
export const treeOf = (state: RunState): string => state.workspace.worktree?.tree ?? state.cwd;

/** Where a step is worked and checked: in the run's folder, or in a copy of the tree where it only proposes. */
export function cwdOf(state: RunState, step: string): string {
  const { worktree } = state.workspace;
  const copy = copyOf(state, step);
  if (copy === undefined) return state.cwd;
  const inside = worktree === null ? "" : worktree.cwd.slice(worktree.tree.length);
  return `${copy}${inside}`;
}

/** A step that was given out anew with the right to write is not bound to the copy it had. */
const copyOf = ({ steps, proposals }: RunState, name: string): string | undefined => {
  const step = steps[name];
  return step !== undefined && proposes(step) ? proposals.copies[name]?.tree : undefined;
};

/** Whose store keeps snapshots of that tree. */
export const projectOf = (state: RunState): { readonly project?: string } =>
  state.workspace.worktree === null ? {} : { project: state.workspace.worktree.project };

/** What agents, checks and commands of a worktree find in their environment. */
export function environmentOf(state: RunState, step?: string): Record<string, string> {
  const { worktree } = state.workspace;
  if (worktree === null || (step !== undefined && copyOf(state, step) !== undefined)) return {};
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
