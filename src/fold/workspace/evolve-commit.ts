import type { CommitState } from "../../model/state/commit-state.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { Place } from "../place.ts";
import { lastKept, treeOf, worksApart } from "./workspace-place.ts";
import {
  recountOverlaps,
  noteCommitted,
  noteConflict,
  noteTakenIn,
  noteWorkTaken,
} from "./evolve-overlap.ts";

const INNER_MAX = 100;

export const nothingCommitted = (at: number): CommitState => ({
  owed: [],
  due: false,
  wanted: null,
  base: null,
  last: null,
  steps: {},
  committedAt: at,
  accepted: false,
});

/** The part of the fold that concerns committed and accepted work. */
export const evolveCommit = {
  CommitWanted(state: RunState, data: EventData<"CommitWanted">): void {
    const { by, step, message, files, accept = false, upTo = null, dropped, resolution, endsAs } = data;
    if (endsAs === undefined) Reflect.deleteProperty(state.workspace.commit, "endsAs");
    else state.workspace.commit.endsAs = endsAs;
    // What is there is kept already where nothing has begun or ended since.
    const last = state.saved ? lastKept(state)?.id : undefined;
    state.workspace.commit.wanted = {
      by,
      step: step ?? null,
      message: message ?? null,
      files: files ?? null,
      accept,
      checkpoint: by === "holdfast" && step !== undefined ? (last ?? null) : null,
      upTo,
      committed: upTo !== null,
      ...(dropped === undefined ? {} : { dropped }),
      ...(resolution === undefined ? {} : { resolution }),
    };
    state.workspace.failures = 0;
    // The one that asks has seen to what was in the way.
    if (by !== "holdfast") state.keepFailures = 0;
    // It has something to do once more.
    if (state.status === "completed") state.status = "running";
  },
  WorkCommitted(state: RunState, data: EventData<"WorkCommitted">, { at }: Place): void {
    const { commit, branch, tree, snapshot } = data;
    noteCommitted(state, data.files);
    const { workspace } = state;
    const { wanted } = workspace.commit;
    settled(state);
    workspace.commit.last = { commit, branch };
    workspace.commit.committedAt = at;
    if (data.inner !== undefined)
      workspace.commit.inner = [...new Set([...(workspace.commit.inner ?? []), ...data.inner])].slice(
        0,
        INNER_MAX,
      );
    // What Holdfast moves itself is no drift.
    if (workspace.worktree === null && state.drift.base !== null) state.drift.base = { branch, commit };
    // What was not named is still to be committed, where it is known what there is: elsewhere who names files says so.
    const isCounted = workspace.commit.base?.tree === tree;
    if ((wanted?.files ?? null) === null || !isCounted) {
      workspace.commit.base = { tree, snapshot };
      for (const name of workspace.commit.owed) workspace.commit.steps[name] = commit;
      workspace.commit.owed = [];
      workspace.commit.due = false;
    }
    if (wanted?.accept === true) workspace.commit.wanted = { ...wanted, committed: true };
  },
  CommitRefused(state: RunState, { step }: EventData<"CommitRefused">): void {
    settled(state);
    const of = state.steps[step ?? ""];
    // A person is asked; the one that lets the run go on has seen to what was in the way.
    if (of !== undefined) of.outdated = 0;
  },
  WorkAccepted(state: RunState, { commit, into, upTo }: EventData<"WorkAccepted">): void {
    if (upTo !== undefined) return acceptedPart(state, { branch: into, commit });
    noteTakenIn(state);
    noteWorkTaken(state);
    state.drift.found = null;
    settled(state);
    if (state.drift.base !== null) state.drift.base = { branch: into, commit };
    state.workspace.commit.accepted = true;
  },
  AcceptRefused(state: RunState, { cause, files }: EventData<"AcceptRefused">): void {
    settled(state);
    if (cause === "conflict") noteConflict(state, files);
  },
};

/** What was done after it is still to be accepted; what the user's branch has moved by is no drift. */
function acceptedPart(state: RunState, base: NonNullable<RunState["drift"]["base"]>): void {
  settled(state);
  if (state.drift.base !== null) state.drift.base = base;
}

export function settled({ workspace }: RunState): void {
  workspace.settled = null;
  workspace.failures = 0;
  workspace.commit.wanted = null;
}

/** The branch is not where the checkpoint has seen it: what is there now is kept, and committed there. */
export function keepAgain(state: RunState, why: string): void {
  const { workspace } = state;
  if (workspace.commit.wanted !== null) workspace.commit.wanted.checkpoint = null;
  workspace.failures += 1;
  workspace.failure = why;
}

/** What is to be done again is not to be committed. */
export function noteReset({ workspace }: RunState, step: string): void {
  workspace.commit.owed = workspace.commit.owed.filter((name) => name !== step);
  Reflect.deleteProperty(workspace.commit.steps, step);
}

export function noteDone(state: RunState, step: string): void {
  const { commit } = state.workspace;
  commit.accepted = false;
  recountOverlaps(state);
  const of = state.steps[step];
  // What was made in a tree of its own is committed by then.
  if (of !== undefined && worksApart(state.settings, of)) return;
  const isWritten =
    of?.spec.authority === "writes" ||
    Object.values(state.proposals.made).some((one) => one.step === step && one.status === "applied");
  // A step is done again only after it was reset, which takes it out of the list.
  if (isWritten && commit.owed.at(-1) !== step) commit.owed.push(step);
}

/** The first snapshot of a tree is what the run's changes are counted from. */
export function noteCheckpoint(
  state: RunState,
  { checkpoint, tree, snapshot }: EventData<"CheckpointTaken">,
): void {
  const { commit } = state.workspace;
  const isUntouched =
    commit.startsOver === true || Object.values(state.steps).every(({ started }) => started === 0);
  if (commit.base?.tree !== tree && tree === treeOf(state) && isUntouched) {
    commit.base = { tree, snapshot: snapshot.id };
    Reflect.deleteProperty(commit, "startsOver");
  }
  if (commit.wanted !== null && !commit.wanted.committed) commit.wanted.checkpoint ??= checkpoint;
}
