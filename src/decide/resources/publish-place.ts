import { refuseWanted, reproveWork } from "../workspace/decide-commit.ts";
import { goOnAfter } from "../workspace/decide-proposals.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { Evidence } from "../../model/effects/evidence.ts";
import type { WorkspaceFacts } from "../../model/effects/workspace-effects.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** What was done is reported once, as an event of its own. */
export function publishPlace(
  state: RunState,
  { effect, outcome }: NonNullable<RunState["workspace"]["settled"]>,
): RunEvent[] {
  const tree = effect.kind === "RemoveWorktree" ? effect.tree : "";
  const place = outcome.kind === "done" ? outcome.place : undefined;
  switch (place?.kind) {
    case "created":
      return [{ type: "WorktreeCreated", data: { ...place.worktree, ...stepOf(effect) } }];
    case "held":
      return effect.kind === "HoldTree"
        ? [{ type: "WorkspaceHeld", data: { tree: effect.tree, epoch: place.epoch } }]
        : [];
    case "busy":
      return effect.kind === "HoldTree"
        ? [{ type: "WorkspaceAwaited", data: { tree: effect.tree, by: place.by } }]
        : [];
    case "freed":
      return effect.kind === "FreeTree" ? [{ type: "WorkspaceFreed", data: { tree: effect.tree } }] : [];
    case "ran":
      return effect.kind === "RunInTree"
        ? [{ type: "WorkspaceCommandEnded", data: ran(effect, place.evidence) }]
        : [];
    case "carried":
      return effect.kind === "CarryFiles" ? [carried(effect.tree, place)] : [];
    case "removed":
      return [{ type: "WorktreeRemoved", data: { tree, snapshot: place.snapshot } }];
    case "kept":
      return [{ type: "WorktreeKept", data: { tree, snapshot: place.snapshot, why: place.why } }];
    case "committed":
      return effect.kind === "CommitWork" ? [{ type: "WorkCommitted", data: committed(effect, place) }] : [];
    case "uncommitted":
      return refuseWanted(state, place.why);
    case "unproved":
      return reproveWork(state, { files: place.files, count: place.count });
    case "accepted": {
      const { commit, into, how, files, count, replaced } = place;
      const upTo = state.workspace.commit.wanted?.upTo ?? null;
      const part = upTo === null ? {} : { upTo };
      const own = replaced === undefined ? {} : { replaced };
      return [{ type: "WorkAccepted", data: { commit, into, how, files, count, ...own, ...part } }];
    }
    case "unaccepted":
      return [{ type: "AcceptRefused", data: { cause: place.cause, files: place.files, why: place.why } }];
    // What is kept of a proposal, or joined, is assessed with the work that it is of.
    case "proposed":
    case "unproposed":
    case "joined":
    case "unjoined":
      return [];
    case "copied":
    case "applied":
    case "unapplied":
    case "dropped":
      return announceProposal(state, effect, place);
    case undefined:
      return [];
  }
}

const stepOf = (effect: Effect): { readonly step?: string } =>
  effect.kind === "CreateWorktree" && effect.step !== undefined ? { step: effect.step } : {};

const ran = (
  { part, tree }: Extract<Effect, { kind: "RunInTree" }>,
  evidence: Evidence,
): EventData<"WorkspaceCommandEnded"> => ({ part, evidence, ...(tree === undefined ? {} : { tree }) });

const carried = (
  tree: string,
  { files, count, paths, left, install, uncarried }: Extract<WorkspaceFacts, { kind: "carried" }>,
): RunEvent => ({
  type: "FilesCarried",
  data: {
    ...{ tree, files, count, paths, left },
    ...(install === undefined ? {} : { install }),
    ...(uncarried === undefined ? {} : { uncarried }),
  },
});

const committed = (
  { snapshot, tree }: Extract<Effect, { kind: "CommitWork" }>,
  { commit, branch, files, count, tag, inner }: Extract<WorkspaceFacts, { kind: "committed" }>,
): EventData<"WorkCommitted"> => ({
  commit,
  branch,
  files,
  count,
  snapshot,
  tree,
  ...(tag === undefined ? {} : { tag }),
  ...(inner === undefined ? {} : { inner }),
});

type FactsOf<Kind extends WorkspaceFacts["kind"]> = Extract<WorkspaceFacts, { kind: Kind }>;

/** What was done about proposals is reported once, with what follows from it. */
function announceProposal(
  state: RunState,
  effect: Effect,
  facts: FactsOf<"copied" | "applied" | "unapplied" | "dropped">,
): RunEvent[] {
  switch (facts.kind) {
    case "copied": {
      const { tree, base, commit } = facts;
      return effect.kind === "CopyTree"
        ? [{ type: "CopyMade", data: { step: effect.step, tree, base, commit } }]
        : [];
    }
    case "dropped":
      return effect.kind === "DropCopy" ? [{ type: "CopyDropped", data: { tree: effect.tree } }] : [];
    case "applied":
    case "unapplied":
      return effect.kind === "ApplyProposal" ? reportApplied(state, effect.proposal, facts) : [];
  }
}

function reportApplied(state: RunState, id: string, facts: FactsOf<"applied" | "unapplied">): RunEvent[] {
  const proposal = state.proposals.made[id];
  if (proposal === undefined) return [];
  const { step, attempt } = proposal;
  const { files, count } = facts;
  if (facts.kind === "unapplied") {
    const why = `${String(count)} ${count === 1 ? "file has" : "files have"} changed since it was made`;
    const data = { proposal: id, step, cause: "conflict", files, why } as const;
    return [{ type: "ProposalApplyRefused", data }];
  }
  const result = state.steps[step]?.result ?? null;
  return [
    { type: "ProposalApplied", data: { proposal: id, step, before: facts.before, files, count } },
    { type: "StepSucceeded", data: { step, attempt, result } },
    ...goOnAfter(state, proposal),
  ];
}
