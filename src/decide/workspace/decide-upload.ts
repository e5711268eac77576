import { retryInMs } from "../../fold/workspace/evolve-upload.ts";
import { treeOf } from "../../fold/workspace/workspace-place.ts";
import { effectKey, type Effect } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { CheckpointState } from "../../model/state/kept-state.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { rulesOfTree } from "../gate/guard-rules.ts";

/** Beside the last checkpoint so many of those before it go along: the run can be put back to them elsewhere. */
const OTHERS_MAX = 20;

/**
 * Files that come along (F2): each checkpoint of the run's worktree is copied to the shared remote, one at a time and
 * the newest first. Nothing waits for a copy; where the remote is away, work goes on and the copy is tried again.
 */
export function decideUpload(state: RunState, now: number): RunEvent[] {
  const { settled, failures, failure, last } = state.upload;
  if (settled !== null) {
    const { checkpoint, tree } = settled.effect;
    if (settled.facts !== null)
      return [{ type: "FilesUploaded", data: { ...settled.facts, checkpoint, tree } }];
    const data = { checkpoint, why: failure, tries: failures, notBefore: now + retryInMs(failures) };
    return [{ type: "UploadFailed", data }];
  }
  const wanted = unsent(state);
  if (wanted === null || now < state.upload.notBefore) return [];
  const effect = uploadOf(state, wanted, { now, previous: last?.facts.ref ?? null });
  const key = effectKey("upload", "UploadFiles", state.upload.count + 1);
  return effect === null ? [] : [{ type: "EffectIntended", data: { key, effect } }];
}

/** When a copy that failed is tried again. */
export const nextUpload = (state: RunState): number =>
  unsent(state) === null ? Infinity : state.upload.notBefore;

/** Whether a copy is due: nobody lets go of the run before it was tried. */
export const isUploadDue = (state: RunState, now: number): boolean => now >= nextUpload(state);

/** The last checkpoint of the run's worktree, where it is to be copied and is not. */
function unsent(state: RunState): CheckpointState | null {
  const { settings, workspace, upload, effects } = state;
  if (settings.workspace.remote === undefined || settings.workspace.isolation !== "run") return null;
  // Nobody else could go on with it where the store is a file of this host.
  if (workspace.worktree === null || state.claim.home === undefined) return null;
  if (Object.values(effects).some(({ kind }) => kind === "UploadFiles")) return null;
  const tree = treeOf(state);
  const kept = Object.values(state.checkpoints).findLast((one) => one.tree === tree);
  if (kept === undefined || kept.snapshot.commit === null) return null;
  const { last } = upload;
  const isSent =
    kept.id === last?.effect.checkpoint && last.commit.last?.commit === workspace.commit.last?.commit;
  return isSent ? null : kept;
}

interface Uploading {
  readonly now: number;
  readonly previous: string | null;
}

function uploadOf(
  state: RunState,
  { id, tree, snapshot, at: keptAt }: CheckpointState,
  { now, previous }: Uploading,
): Extract<Effect, { kind: "UploadFiles" }> | null {
  const { worktree, commit } = state.workspace;
  const { remote } = state.settings.workspace;
  if (worktree === null || remote === undefined || snapshot.commit === null) return null;
  const isOnBranch = snapshot.branch === worktree.branch;
  // Committed since then: the branch is further on, and the files are the same.
  const committed = commit.last !== null && commit.committedAt >= keptAt ? commit.last.commit : null;
  const own = committed ?? (isOnBranch ? snapshot.commit : (commit.last?.commit ?? worktree.from));
  return {
    kind: "UploadFiles",
    remote,
    epoch: state.epoch,
    checkpoint: id,
    project: worktree.project,
    tree,
    snapshot: snapshot.id,
    others: othersOf(state, tree, snapshot.id),
    head: { branch: snapshot.branch, commit: isOnBranch ? own : snapshot.commit },
    branch: { name: worktree.branch, commit: own },
    conversations: conversationsOf(state),
    trusted: trustedOf(state, tree),
    artifacts: [...new Set(Object.values(state.artifacts).flatMap((ones) => ones.map((one) => one.digest)))],
    previous,
    at: now,
  };
}

/** What changes are counted from, and the checkpoints before. */
function othersOf({ workspace, checkpoints }: RunState, tree: string, snapshot: string): string[] {
  const base = workspace.commit.base?.tree === tree ? [workspace.commit.base.snapshot] : [];
  const kept = Object.values(checkpoints).filter((one) => one.tree === tree);
  const ids = [...base, ...kept.slice(-OTHERS_MAX).map((one) => one.snapshot.id)];
  return [...new Set(ids)].filter((one) => one !== snapshot);
}

function conversationsOf(state: RunState): Extract<Effect, { kind: "UploadFiles" }>["conversations"] {
  return Object.entries(state.steps).flatMap(([step, { live, conversation }]) => {
    const attempt = live === null ? undefined : state.attempts[live];
    const spoken = attempt?.conversation ?? null;
    const known =
      attempt !== undefined && spoken !== null ? { agent: attempt.agent, id: spoken } : conversation;
    const spec = known === null ? undefined : state.agents[known.agent];
    return known === null || spec === undefined ? [] : [{ step, ...known, spec }];
  });
}

function trustedOf(
  state: RunState,
  tree: string,
): { readonly digest: string; readonly rules: string[] } | null {
  const digest = state.guards[tree]?.trusted ?? null;
  return digest === null ? null : { digest, rules: rulesOfTree(state, tree) };
}
