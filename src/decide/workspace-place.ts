import type { RunState } from "../model/run-state.ts";
import type { CheckpointState } from "../model/kept-state.ts";
import type { StepTree } from "../model/step-tree.ts";
import type { WorktreeFacts } from "../model/workspace-effects.ts";
import { proposes, worksApart } from "./step-authority.ts";

/** The tree that the run looks after: its worktree, or the folder that it was asked for. */
export const treeOf = (state: RunState): string => state.workspace.worktree?.tree ?? state.cwd;

/** The run's own tree, also while it is away. */
export const homeOf = (state: RunState): string => state.workspace.lastTree ?? state.cwd;

/** It is the run's worktree, which was removed, or is being: it has to be made again before that is put back. */
export const isTreeAway = (
  { workspace: { worktree, lastTree }, effects, checkpoints }: RunState,
  checkpoint: string,
): boolean =>
  lastTree !== null &&
  checkpoints[checkpoint]?.tree === lastTree &&
  (worktree === null ||
    Object.values(effects).some((effect) => effect.kind === "RemoveWorktree" && effect.tree === lastTree));

/** The worktree of one step, while it works in it. */
export function stepTreeOf({ steps, settings, workspace }: RunState, name: string): StepTree | null {
  const step = steps[name];
  const isApart = step !== undefined && worksApart(settings, step);
  return isApart ? (workspace.trees[name] ?? null) : null;
}

/** Whose worktree that is; null where it is none of a step. */
export function stepOfTree({ workspace: { trees } }: RunState, tree: string): string | null {
  for (const name in trees) if (trees[name]?.tree === tree) return name;
  return null;
}

/** The tree that a step works in. */
export const treeOfStep = (state: RunState, step: string): string =>
  stepTreeOf(state, step)?.tree ?? treeOf(state);

/** The last checkpoint of a tree. Where all steps share one tree, the last of all. */
export function lastKept(state: RunState, tree = treeOf(state)): CheckpointState | undefined {
  const kept = Object.values(state.checkpoints);
  if (state.settings.workspace.isolation !== "attempt") return kept.at(-1);
  return kept.findLast((one) => one.tree === tree);
}

/** Where a step is worked and checked: in its own tree or the run's, or in a copy where it only proposes. */
export function cwdOf(state: RunState, step: string): string {
  const { worktree } = state.workspace;
  const copy = copyOf(state, step);
  if (copy === undefined) return stepTreeOf(state, step)?.cwd ?? state.cwd;
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
  return environmentOfTree((step === undefined ? null : stepTreeOf(state, step)) ?? worktree);
}

export function environmentOfTree({ tree, branch, project, ports }: WorktreeFacts): Record<string, string> {
  const numbers =
    ports === null
      ? {}
      : { HOLDFAST_PORT: String(ports.first), HOLDFAST_PORT_LAST: String(ports.first + ports.count - 1) };
  return { HOLDFAST_WORKTREE: tree, HOLDFAST_BRANCH: branch, HOLDFAST_PROJECT: project, ...numbers };
}

/** Whether the work of each step is committed when it is done. */
export const commitsSteps = ({ settings: { commit, workspace } }: RunState): boolean =>
  commit.when === "step" || (commit.when === "auto" && workspace.isolation !== "none");

/** The tree that a clean copy is made of. */
export const cleanCopy = (state: RunState, at: number, step?: string) => ({
  tree: step === undefined ? treeOf(state) : treeOfStep(state, step),
  ...projectOf(state),
  at,
});
