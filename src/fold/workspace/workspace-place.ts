import type { CheckpointState } from "../../model/state/kept-state.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import type { StepTree } from "../../model/state/workspace-state.ts";

/** The tree that the run looks after: its worktree, or else the whole tree that its folder is in. */
export const treeOf = ({ workspace: { worktree, root } }: RunState): string => worktree?.tree ?? root;

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

/** Whether the work of each step is committed when it is done. */
export const commitsSteps = ({ settings: { commit, workspace } }: RunState): boolean =>
  commit.when === "step" || (commit.when === "auto" && hasOwnTree({ workspace }));

export type Settings = Pick<RunState["settings"], "workspace">;

/** Whether the run works in a worktree. What is chosen by where it is started was chosen before it was created. */
export const hasOwnTree = ({ workspace: { isolation } }: Settings): boolean =>
  isolation === "run" || isolation === "attempt";

/** What is committed is what changed since a checkpoint: without one nothing could be. */
export const takesCheckpoints = (state: RunState): boolean =>
  state.settings.checkpoints.when === "always" ||
  commitsSteps(state) ||
  state.settings.workspace.isolation === "attempt";

/** Files of the run's tree may have changed, or are about to. */
export function moved(state: RunState): void {
  state.saved = false;
  state.saving = false;
  state.drift.fresh = false;
}

/** Those of all trees of the run. */
export function allMoved(state: RunState): void {
  moved(state);
  for (const own of Object.values(state.workspace.trees)) {
    own.saved = false;
    own.saving = false;
  }
}

/** Those of the tree that a step works in. */
export function movedBy(state: RunState, step: string): void {
  const own = stepTreeOf(state, step);
  if (own === null) return moved(state);
  own.saved = false;
  own.saving = false;
  state.drift.fresh = false;
}

/** An attempt begins: what is run before each is run again before the next. */
export function noteBegun(state: RunState, step: string): void {
  Reflect.deleteProperty((stepTreeOf(state, step) ?? state.workspace).ran, "run");
  movedBy(state, step);
}

export const writes = (step: StepState | undefined): boolean => step?.spec.authority === "writes";

/** Whether its work is a patch, made in a copy. A plan is no patch: it is delivered, and put back like a reader's work. */
export const proposes = ({ spec }: StepState): boolean =>
  spec.authority === "proposes" && spec.plans === undefined;

/** Whether it writes in a worktree of its own, beside the run's. */
export const worksApart = ({ workspace }: RunState["settings"], step: StepState): boolean =>
  workspace.isolation === "attempt" && writes(step);
