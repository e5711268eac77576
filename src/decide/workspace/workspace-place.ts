import {
  proposes,
  type Settings,
  stepTreeOf,
  treeOf,
  treeOfStep,
} from "../../fold/workspace/workspace-place.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { WorktreeFacts } from "../../model/effects/workspace-effects.ts";
import { WORKSPACE_EFFECT_KINDS, type WorkspaceEffect } from "../../model/state/workspace-state.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";

/** Whether something is being done with the place of the run. */
export const isAtWork = ({ effects }: RunState): boolean =>
  Object.values(effects).some(({ kind }) => (WORKSPACE_EFFECT_KINDS as readonly string[]).includes(kind));

export const intend = (state: RunState, effect: WorkspaceEffect): RunEvent[] => [
  {
    type: "EffectIntended",
    data: { key: effectKey("workspace", effect.kind, state.workspace.acts + 1), effect },
  },
];

/** The run's own tree, also while it is away. */
export const homeOf = ({ workspace: { lastTree, root } }: RunState): string => lastTree ?? root;

/** It is the run's worktree, which was removed, or is being: it has to be made again before that is put back. */
export const isTreeAway = (
  { workspace: { worktree, lastTree }, effects, checkpoints }: RunState,
  checkpoint: string,
): boolean =>
  lastTree !== null &&
  checkpoints[checkpoint]?.tree === lastTree &&
  (worktree === null ||
    Object.values(effects).some((effect) => effect.kind === "RemoveWorktree" && effect.tree === lastTree));

/** Where a step is worked and checked: in its own tree or the run's, or in a copy where it only proposes. */
export function cwdOf(state: RunState, step: string): string {
  const copy = copyOf(state, step);
  if (copy === undefined) return stepTreeOf(state, step)?.cwd ?? state.cwd;
  return `${copy}${state.cwd.slice(treeOf(state).length)}`;
}

/** A step that was given out again with the right to write is not bound to the copy it had. */
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

/** The tree that a clean copy is made of. */
export const cleanCopy = (state: RunState, at: number, step?: string) => ({
  tree: step === undefined ? treeOf(state) : treeOfStep(state, step),
  ...projectOf(state),
  at,
});

/** Whether anything is copied into a fresh worktree. */
export const carries = ({ workspace: { uncommitted, carry } }: Settings): boolean =>
  uncommitted !== undefined || carry !== undefined;

/**
 * What a fresh worktree lacks. Uncommitted files are copied into the run's own tree once: what the user changes later
 * would look like work of the agents. A worktree of a step begins with what the run has committed, so that with one per
 * attempt what is not committed is only named.
 */
export function carryInto(
  { settings, workspace }: RunState,
  { project, tree, from }: WorktreeFacts,
  now: number,
): WorkspaceEffect {
  const { uncommitted, carry } = settings.workspace;
  const isFirst = workspace.worktree?.tree === tree && !workspace.carried;
  const nameOnly = settings.workspace.isolation === "attempt" ? { nameOnly: true as const } : {};
  return {
    kind: "CarryFiles",
    project,
    tree,
    ...(uncommitted === "carry" && isFirst ? { onto: from, ...nameOnly } : {}),
    ...(carry === undefined ? {} : { paths: carry }),
    at: now,
  };
}
