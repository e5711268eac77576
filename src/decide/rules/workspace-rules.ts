import { decideAuthority } from "../dispatch/authority.ts";
import { decideGuards, nextGuard } from "../gate/decide-guard.ts";
import { decideSeals } from "../gate/seal-rule.ts";
import { due, type Rule } from "./rule.ts";
import { decideAway } from "../workspace/away.ts";
import { decideBinding, nextBindingLook } from "../workspace/decide-binding.ts";
import { decideCheckpoints, nextCheckpoint } from "../workspace/decide-checkpoints.ts";
import { nextCommit } from "../workspace/decide-commit.ts";
import { decideDrift, nextLook } from "../workspace/decide-drift.ts";
import { decideUpload, isUploadDue, nextUpload } from "../workspace/decide-upload.ts";
import { isComing, nextFetch } from "../workspace/fetch-files.ts";
import { decideWorkspace } from "../workspace/decide-workspace.ts";
import { treeOf } from "../../fold/workspace/workspace-place.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

export const authorityRule: Rule = { name: "authority", decide: decideAuthority };

export const awayRule: Rule = {
  name: "away",
  decide: decideAway,
  dueAt: (state) => due(nextFetch(state)),
  holdsOpen: (state, now) => isComing(state) || now >= nextFetch(state),
};

export const workspaceRule: Rule = { name: "workspace", decide: decideWorkspace };

const isCommitWanted = ({ workspace }: RunState): boolean => workspace.commit.wanted !== null;

/** What is committed is decided by the workspace rule, which has one order under way at a time. */
export const commitRule: Rule = {
  name: "commit",
  dueAt: (state) => due(nextCommit(state)),
  holdsOpen: isCommitWanted,
  owes: isCommitWanted,
};

const isProposalWanted = ({ proposals }: RunState): boolean => proposals.wanted !== null;

/** Decided by the workspace rule too. */
export const proposalRule: Rule = {
  name: "proposal",
  holdsOpen: isProposalWanted,
  owes: isProposalWanted,
};

export const guardRule: Rule = {
  name: "guard",
  decide: decideGuards,
  dueAt: (state) => due(nextGuard(state)),
};

export const sealRule: Rule = { name: "seal", decide: decideSeals };

export const driftRule: Rule = {
  name: "drift",
  decide: decideDrift,
  dueAt: (state) => due(nextLook(state)),
};

export const checkpointRule: Rule = {
  name: "checkpoint",
  decide: decideCheckpoints,
  dueAt: (state) => due(nextCheckpoint(state)),
};

export const uploadRule: Rule = {
  name: "upload",
  decide: decideUpload,
  dueAt: (state) => due(nextUpload(state), { what: "the next copy of the files to the remote" }),
  holdsOpen: (state, now) => isUploadDue(state, now) || state.upload.settled !== null,
};

export const overlapRule: Rule = {
  name: "overlap",
  decide: decideOverlap,
  dueAt: (state) => due(nextOverlapLook(state)),
};

export const bindingRule: Rule = {
  name: "binding",
  decide: decideBinding,
  dueAt: (state) => due(nextBindingLook(state)),
};

/**
 * Runs that work in worktrees of one repository report to each other what they have changed (W8): after each
 * checkpoint, and every so often while agents work. What two have changed is reported as soon as one of them sees it,
 * and not only when the work is accepted.
 */
function decideOverlap(state: RunState, now: number): RunEvent[] {
  const { overlap, workspace } = state;
  if (workspace.worktree === null || isUnderWay(state)) return [];
  if (overlap.report !== null) return [{ type: "OverlapFound", data: overlap.report }];
  const snapshot = lastSnapshot(state);
  if (overlap.base === null || snapshot === null) return [];
  if (snapshot === overlap.notified && now < nextOverlapLook(state)) return [];
  const effect = {
    kind: "CompareWork",
    project: workspace.worktree.project,
    tree: workspace.worktree.tree,
    since: overlap.since,
    base: overlap.base,
    snapshot,
  } as const;
  const key = effectKey("overlap", "CompareWork", overlap.looks + 1);
  return [{ type: "EffectIntended", data: { key, effect } }];
}

/** When agents at work have their changes held against those of others next. */
export function nextOverlapLook(state: RunState): number {
  const { worktree } = state.workspace;
  if (worktree === null || state.overlap.base === null || isUnderWay(state)) return Infinity;
  if (Object.keys(state.attempts).length === 0) return Infinity;
  return state.overlap.lookedAt + state.settings.conflict.everyMs;
}

const isUnderWay = (state: RunState): boolean =>
  Object.values(state.effects).some(({ kind }) => kind === "CompareWork");

/** Of the run's tree as it was kept last. */
function lastSnapshot(state: RunState): string | null {
  const tree = treeOf(state);
  const kept = Object.values(state.checkpoints).filter((one) => one.tree === tree);
  return kept.at(-1)?.snapshot.id ?? null;
}
