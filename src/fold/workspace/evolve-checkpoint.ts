import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { noteLook } from "../gate/evolve-gate.ts";
import { filesReplaced } from "../gate/gates.ts";
import type { Place } from "../place.ts";
import { requeue } from "../step/enqueue.ts";
import { releaseSnapshots } from "../step/evolve-proposal.ts";
import { noteKept } from "../step/note-progress.ts";
import { noteCheckpoint } from "./evolve-commit.ts";
import { evolveDrift } from "./evolve-drift.ts";
import { evolveOverlap, noteFirstSnapshot } from "./evolve-overlap.ts";
import { leaveTree, noteTreeKept } from "./evolve-step-tree.ts";
import { moved, movedBy, stepOfTree, treeOf, treeOfStep } from "./workspace-place.ts";
import { releaseJoins } from "./settle-join.ts";

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

const HAND_OVERS_MAX = 100;

/** The part of the fold that concerns checkpoints, and who goes on from them. */
export const evolveCheckpoint = {
  ...evolveDrift,
  ...evolveOverlap,
  CheckpointTaken(state: RunState, data: EventData<"CheckpointTaken">, place: Place): void {
    const { seq, at } = place;
    const conversations = Object.entries(data.layers.context).flatMap(([step, { conversation }]) =>
      conversation === undefined ? [] : [[step, conversation] as const],
    );
    state.checkpoints[data.checkpoint] = {
      id: data.checkpoint,
      cause: data.cause,
      tree: data.tree,
      project: state.taken?.effect.project ?? data.tree,
      snapshot: data.snapshot,
      at,
      seq,
      note: data.note ?? null,
      conversations: Object.fromEntries(conversations),
    };
    noteLook(state, data);
    noteSeen(state, data);
    state.taken = null;
    if (state.restoring !== null && data.cause === "before_restore") state.restoring.kept = true;
    if (noteTreeKept(state, data, place)) return;
    noteCheckpoint(state, data);
    if (data.tree === treeOf(state)) noteKept(state, data.snapshot.digest);
    noteFirstSnapshot(state, data.tree, data.snapshot.id);
    state.saved = state.saving;
    state.savedAt = at;
  },
  CheckpointsReleased(state: RunState, { checkpoints }: EventData<"CheckpointsReleased">): void {
    for (const checkpoint of checkpoints) {
      const { project } = state.checkpoints[checkpoint] ?? {};
      if (project !== undefined) state.releasing.push({ checkpoint, project });
      Reflect.deleteProperty(state.checkpoints, checkpoint);
    }
  },
  ArtifactsRegistered(state: RunState, { step, artifacts }: EventData<"ArtifactsRegistered">): void {
    state.artifacts[step] = artifacts;
  },
  HandedOver(state: RunState, data: EventData<"HandedOver">, { at }: Place): void {
    const { step: name, from, to, spec, reason } = data;
    const step = state.steps[name];
    if (step === undefined) return;
    state.agents[to] = spec;
    step.spec = { ...step.spec, agent: to };
    requeue(state, name);
    state.handOvers = [...state.handOvers, { step: name, from, to, reason, at }].slice(-HAND_OVERS_MAX);
  },
  RestoreDropped(state: RunState): void {
    if (state.restoring?.putBack === true) state.readSince = null;
    state.restoring = null;
  },
  RunRestored(state: RunState, { checkpoint, reopened }: EventData<"RunRestored">): void {
    const isRemedy = state.restoring?.step !== null || state.restoring.putBack === true;
    if (!isRemedy || state.restoring?.putBack === true) state.readSince = null;
    state.restoring = null;
    const wanted = state.checkpoints[checkpoint];
    const of = wanted === undefined ? null : stepOfTree(state, wanted.tree);
    if (of === null) moved(state);
    else movedBy(state, of);
    // The run's line is another: what was begun on the former one begins again.
    if (!isRemedy && of === null) {
      filesReplaced(state);
      for (const name in state.workspace.trees) leaveTree(state, name);
      // Where the run's worktree is gone it is the user's own tree, and what is committed there is theirs to say.
      state.workspace.commit.due =
        state.settings.workspace.isolation === "attempt" && state.workspace.worktree !== null;
    }
    // A remedy has ended the conversation of its step already, and leaves those of others.
    for (const [name, step] of Object.entries(isRemedy ? {} : state.steps))
      if ((of === null || of === name) && (step.status !== "succeeded" || reopened.includes(name)))
        step.conversation = wanted?.conversations[name] ?? null;
    // What is trusted stays trusted, no matter what the checkpoint held.
    for (const guard of Object.values(state.guards)) {
      guard.fresh = false;
      guard.bringBack = true;
    }
  },
};

export function intendCheckpoint(
  state: RunState,
  effect: EffectOf<"TakeCheckpoint" | "RestoreCheckpoint">,
): void {
  if (effect.kind === "TakeCheckpoint") {
    state.checkpointed += 1;
    const own = state.workspace.trees[stepOfTree(state, effect.tree) ?? ""];
    if (own !== undefined) {
      own.saving = true;
      return;
    }
    state.saving = true;
    state.unsavedStep = false;
  } else {
    state.restores += 1;
  }
}

export function settleCheckpoint(
  state: RunState,
  effect: EffectOf<"TakeCheckpoint" | "RestoreCheckpoint">,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  const { snapshot, restored } = outcome.kind === "done" ? outcome : {};
  if (effect.kind === "TakeCheckpoint" && snapshot !== undefined) state.taken = { effect, snapshot };
  else if (effect.kind === "RestoreCheckpoint" && restored !== undefined && state.restoring !== null)
    state.restoring.facts = restored;
  else {
    state.keepFailures += 1;
    state.keepFailure = outcome.kind === "done" ? "nothing was kept" : outcome.text;
    // The next one while agents work comes when it is due, not at once.
    const own = state.workspace.trees[stepOfTree(state, effect.tree) ?? ""];
    (own ?? state).savedAt = at;
    return;
  }
  state.keepFailures = 0;
}

/** What could not be freed is tried again, or stays: too much is kept, never too little. */
export function settleRelease(
  state: RunState,
  { snapshots }: EffectOf<"ReleaseCheckpoints">,
  outcome: EffectOutcome,
): void {
  if (outcome.kind === "done") {
    releaseSnapshots(state, snapshots);
    releaseJoins(state, snapshots);
    for (const { key } of snapshots) Reflect.deleteProperty(state.seen, key);
    state.releasing = [];
    state.releaseFailures = 0;
  } else state.releaseFailures += 1;
}

/** Files were kept: those whose work is about to be checked, or who have just ended, are seen as they left them. */
function noteSeen(state: RunState, { checkpoint, tree, snapshot }: EventData<"CheckpointTaken">): void {
  const nth = Number(checkpoint.slice(1));
  for (const name in state.checking) {
    const checking = state.steps[name]?.checking ?? null;
    if (checking !== null && checking.runs === 0 && nth > checking.since && treeOfStep(state, name) === tree)
      checking.tree ??= snapshot.digest;
  }
  for (const attempt of Object.values(state.attempts))
    if (attempt.left !== null && nth > attempt.left.since && treeOfStep(state, attempt.step) === tree)
      attempt.left.tree ??= snapshot.digest;
}
