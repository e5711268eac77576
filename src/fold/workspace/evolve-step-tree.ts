import type { Effect } from "../../model/effects/effects.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { Joining } from "../../model/state/workspace-state.ts";
import type { WorkspacePart } from "../../model/effects/workspace-effects.ts";
import type { Place } from "../place.ts";
import { noteCommitted } from "./evolve-overlap.ts";
import { stepOfTree, treeOf } from "./workspace-place.ts";

/** The part of the fold that concerns worktrees of single steps. */
export const evolveStepTree = {
  /** The facts themselves count from the moment at which they are known: see noteJoined. */
  WorkJoined(state: RunState, { step, commit }: EventData<"WorkJoined">): void {
    state.workspace.commit.steps[step] = commit;
  },
  JoinRefused(state: RunState, { step, cause }: EventData<"JoinRefused">): void {
    const checking = state.steps[step]?.checking ?? null;
    if (checking !== null) checking.joined = null;
    if (cause === "conflict") leaveTree(state, step);
  },
};

export function noteTreeMade(state: RunState, data: EventData<"WorktreeCreated">, at: number): void {
  const { step, ...facts } = data;
  if (step === undefined) return;
  const kept = { base: null, saved: false, saving: false, savedAt: at };
  state.workspace.trees[step] = { ...facts, ...kept, ran: {}, left: false };
  state.workspace.treesMade += 1;
}

/** The step's next attempt begins in another tree, from what the run has by then. */
export function leaveTree(state: RunState, step: string): void {
  const own = state.workspace.trees[step];
  if (own === undefined) return;
  // Where nothing is ever removed it stands, and the next one beside it.
  if (state.settings.workspace.cleanup === "never") noteTreeGone(state, own.tree, true);
  else own.left = true;
}

/**
 * It may be gone from the moment its removal is intended, no matter what is answered: a step that is given out again
 * meanwhile begins in another one, when this is over.
 */
export function leaveForRemoval(state: RunState, tree: string): void {
  const own = state.workspace.trees[stepOfTree(state, tree) ?? ""];
  if (own !== undefined) own.left = true;
}

/** True where it was the tree of a step, of which the run knows nothing more. */
export function noteTreeGone(state: RunState, tree: string, isKept: boolean): boolean {
  const step = stepOfTree(state, tree);
  if (step === null) return false;
  Reflect.deleteProperty(state.workspace.trees, step);
  Reflect.deleteProperty(state.guards, tree);
  // Its place is taken: the next one stands beside it.
  if (isKept) state.workspace.treesKept += 1;
  return true;
}

/** True where the command was run in the tree of a step. */
export function noteTreeCommand(
  state: RunState,
  tree: string | undefined,
  part: WorkspacePart | "carry",
): boolean {
  const step = tree === undefined ? null : stepOfTree(state, tree);
  const own = step === null ? undefined : state.workspace.trees[step];
  if (own !== undefined) own.ran[part] = true;
  return tree !== undefined;
}

/** True where the checkpoint is of a step's tree: nothing of the run's own is kept by it. */
export function noteTreeKept(state: RunState, data: EventData<"CheckpointTaken">, { at }: Place): boolean {
  const step = stepOfTree(state, data.tree);
  const own = step === null ? undefined : state.workspace.trees[step];
  if (own === undefined) return false;
  own.base ??= data.snapshot.id;
  own.saved = own.saving;
  own.savedAt = at;
  return true;
}

/**
 * What is on the run's branch is there, no matter what became of the step meanwhile. What was found of work that was
 * sent back since says nothing about the work that followed it.
 */
export function noteJoined(
  state: RunState,
  { step, attempt }: Extract<Effect, { kind: "JoinWork" }>,
  { facts, at }: { readonly facts: Joining; readonly at: number },
): void {
  const { steps, workspace } = state;
  workspace.failures = 0;
  const checking = steps[step]?.checking ?? null;
  if (checking?.attempt === attempt) checking.joined = facts;
  if (facts.kind === "unjoined") return;
  noteCommitted(state, facts.files);
  workspace.commit.last = { commit: facts.commit, branch: facts.into };
  workspace.commit.committedAt = at;
  workspace.commit.accepted = false;
  workspace.commit.base = { tree: treeOf(state), snapshot: facts.snapshot };
}
