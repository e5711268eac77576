import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { EventData } from "../../model/events/events.ts";
import type { Evidence } from "../../model/effects/evidence.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { Remade, WorkspacePart } from "../../model/effects/workspace-effects.ts";
import type { WorkspaceEffect, WorkspaceState } from "../../model/state/workspace-state.ts";
import type { Place } from "../place.ts";
import { noteUnproved } from "../step/bound-evidence.ts";
import { intendSnapshots, noteProposed } from "../step/evolve-proposal.ts";
import { keepAgain, nothingCommitted } from "./evolve-commit.ts";
import { beginOverlap } from "./evolve-overlap.ts";
import {
  evolveStepTree,
  leaveForRemoval,
  noteJoined,
  noteTreeCommand,
  noteTreeGone,
  noteTreeMade,
} from "./evolve-step-tree.ts";
import { moved } from "./workspace-place.ts";
import { homeAfterPerson, intendJoin, settleJoin } from "./settle-join.ts";

/** More than any bound on tries: a command that fails is not tried again by itself. */
const NOT_AGAIN = 1_000;

export const newWorkspace = (
  { cwd, tree = cwd, repository = cwd }: Pick<EventData<"RunCreated">, "cwd" | "tree" | "repository">,
  at: number,
): WorkspaceState => ({
  asked: cwd,
  root: tree,
  repository,
  worktree: null,
  lastTree: null,
  stays: false,
  hold: null,
  ran: {},
  carried: false,
  uncarried: [],
  install: null,
  home: { checks: [], runs: 0, asked: false },
  trees: {},
  treesMade: 0,
  treesKept: 0,
  joins: [],
  settled: null,
  commit: nothingCommitted(at),
  acts: 0,
  failures: 0,
  failure: "",
  unready: null,
  readyAt: 0,
  letGoAt: null,
});

/** The part of the fold that concerns the place that a run works in. */
export const evolveWorkspace = {
  ...evolveStepTree,
  WorktreeCreated(state: RunState, worktree: EventData<"WorktreeCreated">, { at }: Place): void {
    noteNotified(state);
    state.workspace.readyAt = at;
    if (worktree.step !== undefined) return noteTreeMade(state, worktree, at);
    state.workspace.worktree = worktree;
    state.workspace.lastTree = worktree.tree;
    state.workspace.stays = false;
    state.workspace.ran = {};
    state.workspace.commit.committedAt = at;
    state.cwd = worktree.cwd;
    beginOverlap(state, at);
    // What was kept is another tree.
    moved(state);
  },
  FilesCarried(
    state: RunState,
    { tree, install, uncarried }: EventData<"FilesCarried">,
    { at }: Place,
  ): void {
    noteNotified(state);
    state.workspace.readyAt = at;
    state.workspace.install = install ?? null;
    if (noteTreeCommand(state, state.workspace.worktree?.tree === tree ? undefined : tree, "carry")) return;
    state.workspace.ran.carry = true;
    state.workspace.carried = true;
    state.workspace.uncarried = uncarried ?? [];
    moved(state);
  },
  WorktreeRemoved(state: RunState, { tree }: EventData<"WorktreeRemoved">): void {
    noteNotified(state);
    if (noteTreeGone(state, tree, false)) return;
    state.workspace.worktree = null;
    state.workspace.ran = {};
    state.cwd = state.workspace.asked;
    moved(state);
  },
  WorktreeKept(state: RunState, { tree }: EventData<"WorktreeKept">): void {
    noteNotified(state);
    if (noteTreeGone(state, tree, true)) return;
    state.workspace.stays = true;
  },
  WorkspaceHeld(state: RunState, { tree, epoch }: EventData<"WorkspaceHeld">): void {
    noteNotified(state);
    state.workspace.hold = { tree, epoch, fresh: true, waitsFor: null };
  },
  WorkspaceAwaited(state: RunState, { tree, by }: EventData<"WorkspaceAwaited">): void {
    noteNotified(state);
    state.workspace.hold = { tree, epoch: null, fresh: false, waitsFor: by };
  },
  WorkspaceFreed(state: RunState): void {
    noteNotified(state);
    state.workspace.hold = null;
  },
  WorkspaceCommandEnded(
    state: RunState,
    { part, evidence, tree }: EventData<"WorkspaceCommandEnded">,
    { at }: Place,
  ): void {
    const failures = state.workspace.failures;
    noteNotified(state);
    // What is run after the work changes nothing about it.
    if (evidence.verdict === "pass" || part === "teardown") {
      if (part !== "teardown") state.workspace.readyAt = at;
      if (!noteTreeCommand(state, tree, part)) state.workspace.ran[part] = true;
    } else {
      state.workspace.unready = { notified: false };
      state.workspace.failures = evidence.verdict === "fail" ? NOT_AGAIN : failures + 1;
      state.workspace.failure = commandText(part, evidence);
    }
  },
};

const commandText = (part: WorkspacePart, { command, exitCode, timedOut, excerpt }: Evidence): string => {
  const how = timedOut
    ? "did not end in time"
    : exitCode === null
      ? "could not be carried out"
      : `ended with exit code ${String(exitCode)}`;
  const last = excerpt.trim().split("\n").at(-1) ?? "";
  return `the workspace's ${part} command \`${command}\` ${how}${last === "" ? "" : `: ${last}`}`;
};

function noteNotified({ workspace }: RunState): void {
  workspace.settled = null;
  workspace.failures = 0;
  workspace.unready = null;
}

export function intendPlace(state: RunState, key: string, effect: WorkspaceEffect): void {
  state.workspace.acts += 1;
  if (effect.kind === "RemoveWorktree") leaveForRemoval(state, effect.tree);
  intendSnapshots(state, key, effect);
  intendJoin(state, key, effect);
}

export function settlePlace(
  state: RunState,
  effect: WorkspaceEffect,
  { key, outcome, at }: { readonly key: string; readonly outcome: EffectOutcome; readonly at: number },
): void {
  const { workspace, stoppingTo } = state;
  settleJoin(state, key, outcome);
  const place = outcome.kind === "done" ? outcome.place : undefined;
  if (place?.kind === "uncommitted" && place.cause === "moved") return keepAgain(state, place.why);
  if (place?.kind === "unproved" && (effect.kind === "JoinWork" || effect.kind === "KeepProposal"))
    return noteUnproved(state, effect, place);
  if (place?.kind === "proposed" || place?.kind === "unproposed") return noteProposed(state, effect, place);
  if (effect.kind === "JoinWork" && (place?.kind === "joined" || place?.kind === "unjoined"))
    return noteJoined(state, effect, { facts: place, at });
  if (place !== undefined) {
    workspace.settled = { effect, outcome };
    return;
  }
  // What a stop has broken off has not failed.
  if (stoppingTo !== null) return;
  // A tree that is put back is made at once, no matter what others know: nothing waits for it.
  const isForWork = effect.kind === "CreateWorktree" && state.restoring === null;
  workspace.unready = isForWork ? { notified: false } : null;
  workspace.failures += 1;
  workspace.failure = `${WHAT[effect.kind]}: ${outcome.kind === "done" ? "nothing is known of it" : outcome.text}`;
}

const WHAT: Readonly<Record<WorkspaceEffect["kind"], string>> = {
  CreateWorktree: "the worktree could not be made",
  HoldTree: "the tree could not be taken",
  FreeTree: "the tree could not be released",
  RunInTree: "a command of the workspace could not be run",
  CarryFiles: "files could not be copied into the worktree",
  RemoveWorktree: "the worktree could not be removed",
  CommitWork: "the work could not be committed",
  AcceptWork: "the work could not be taken into your branch",
  JoinWork: "the work of a step could not be brought onto the run's branch",
  CopyTree: "a copy of the tree could not be made",
  KeepProposal: "what is proposed could not be kept",
  ApplyProposal: "the proposal could not be applied",
  DropCopy: "a copy of the tree could not be removed",
};

/** What is in no snapshot, such as installed packages, is not in a folder that was made again: it is made ready again. */
export function noteRemade({ workspace, checkpoints }: RunState, remade: Remade): void {
  for (const { tree } of remade.filter(({ folder }) => folder)) {
    if (workspace.worktree?.tree === tree) {
      workspace.ran = {};
      // What was carried is in its checkpoints; before the first it is carried again.
      workspace.carried &&= Object.values(checkpoints).some((one) => one.tree === tree);
    }
    for (const own of Object.values(workspace.trees)) if (own.tree === tree) own.ran = {};
  }
}

/** Somebody else owns the run now, or it may work again: its tree is taken again before agents begin. */
export function holdAgain({ workspace }: RunState): void {
  if (workspace.hold !== null) workspace.hold = { ...workspace.hold, fresh: false };
}

/** Somebody had a say: what failed is tried again. */
export function placeAfterPerson(state: RunState): void {
  state.workspace.failures = 0;
  homeAfterPerson(state);
}
