import { decideAuthority } from "../dispatch/authority.ts";
import { decideAway } from "../workspace/away.ts";
import { decideBinding, nextBindingLook } from "../workspace/decide-binding.ts";
import { decideCheckpoints, nextCheckpoint } from "../workspace/decide-checkpoints.ts";
import { nextCommit } from "../workspace/decide-commit.ts";
import { decideDrift, nextLook } from "../workspace/decide-drift.ts";
import { decideGuards, nextGuard } from "../gate/decide-guard.ts";
import { decideOverlap, nextOverlapLook } from "../workspace/decide-overlap.ts";
import { decideWorkspace } from "../workspace/decide-workspace.ts";
import { decideSeals } from "../gate/seal-rule.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { due, type Rule } from "./rule.ts";

export const authorityRule: Rule = { name: "authority", decide: decideAuthority };

export const awayRule: Rule = { name: "away", decide: decideAway };

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
