import type { Blocked } from "../../model/requests/blocked.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { protectedRulesOf } from "../../model/flow/protected.ts";
import {
  openProposal,
  proposalId,
  type ProposalState,
  type ProposedFacts,
} from "../../model/requests/proposal.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import type { WorkspaceEffect } from "../../model/state/workspace-state.ts";
import { intend, isAtWork } from "./workspace-place.ts";
import { areFilesInHand } from "./decide-checkpoints.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";
import { proposes, treeOf } from "../../fold/workspace/workspace-place.ts";
import { provedTree } from "../gate/bound-evidence.ts";

/** So often applying is tried before it is refused. */
const TRIES_MAX = 3;
const FILES_SAID_MAX = 5;

type Asked<Kind extends RunRequest["kind"]> = Extract<RunRequest, { kind: Kind }>;

/**
 * Proposals (G16): an agent that may not write works in a copy of the tree. What it changes there is kept as a patch
 * once its checks have passed, and waits for a person: applied, it is brought into the tree and the step is done.
 *
 * On disk at each instant: an intent, then what was done outside under its key, then what is reported of it here. The
 * one that comes after a kill finds the intent open and gives the same order again, which finishes it.
 */
export function decideProposals(
  state: RunState,
  now: number,
): { readonly events: RunEvent[] } | { readonly effect: WorkspaceEffect } | null {
  const { wanted, dropping } = state.proposals;
  if (wanted !== null) return applyWanted(state, wanted.proposal, now);
  const [tree] = dropping;
  return tree === undefined ? null : { effect: { kind: "DropCopy", project: projectOf(state), tree } };
}

const projectOf = (state: RunState): string => state.workspace.worktree?.project ?? treeOf(state);

function applyWanted(
  state: RunState,
  id: string,
  now: number,
): { events: RunEvent[] } | { effect: WorkspaceEffect } {
  const proposal = state.proposals.made[id];
  if (proposal === undefined) return { events: [] };
  if (state.workspace.failures >= TRIES_MAX) {
    const why = state.workspace.failure;
    const data = { proposal: id, step: proposal.step, files: [], why };
    return { events: [{ type: "ProposalApplyRefused", data: { ...data, cause: "failed" } }] };
  }
  if (areFilesInHand(state) || state.taken !== null || state.restoring !== null) return { events: [] };
  const { base, snapshot } = proposal;
  const place = { project: projectOf(state), tree: treeOf(state) };
  return { effect: { kind: "ApplyProposal", proposal: id, ...place, base, snapshot, at: now } };
}

const isUnderWay = (state: RunState): boolean => state.workspace.settled !== null || isAtWork(state);

/** Null where the step's agent may begin; a step that only proposes gets a copy of the tree first. */
export function copyFirst(state: RunState, step: StepState, now: number): RunEvent[] | null {
  const { copies, copied } = state.proposals;
  const { spec } = step;
  if (!proposes(step) || Object.hasOwn(copies, spec.name)) return null;
  if (isUnderWay(state)) return [];
  return intend(state, {
    kind: "CopyTree",
    step: spec.name,
    project: projectOf(state),
    tree: treeOf(state),
    name: `${state.run}-${String(copied + 1)}`,
    at: now,
  });
}

/** Work that has passed its checks is kept as a patch. */
export function keepProposal(state: RunState, of: StepState, now: number): RunEvent[] {
  const { spec, checking } = of;
  const copy = state.proposals.copies[spec.name];
  if (checking === null || copy === undefined || isUnderWay(state)) return [];
  return intend(state, {
    kind: "KeepProposal",
    step: spec.name,
    attempt: checking.attempt,
    project: projectOf(state),
    copy: copy.tree,
    base: copy.base,
    rules: protectedRulesOf(state.settings.protected),
    ...provedTree(of),
    at: now,
  });
}

export function proposalMade(
  { run, proposals: { made, copies } }: RunState,
  of: { readonly step: string; readonly attempt: string },
  { snapshot, digest, bytes, files, count }: ProposedFacts,
): RunEvent {
  const proposal = proposalId(run, Object.keys(made).length + 1);
  const { base = "", commit = null } = copies[of.step] ?? {};
  const facts = { snapshot, digest, bytes, files, count };
  return { type: "ProposalMade", data: { proposal, ...of, base, commit, ...facts } };
}

/** With nothing else to do, the run waits for the one that decides about what is proposed. */
export function askAboutProposals(state: RunState): RunEvent[] {
  if (state.proposals.wanted !== null || isUnderWay(state)) return [];
  const waiting = Object.values(state.steps).find(({ status }) => status === "proposed");
  const proposal = waiting === undefined ? undefined : openProposal(state.proposals, waiting.spec.name);
  if (proposal === undefined) return [];
  const blocked = {
    reason: "needs_human",
    detail: `step "${proposal.step}" proposes changes of ${filesText(proposal)}; look at them with: holdfast proposal show ${proposal.id}`,
    step: proposal.step,
    attemptKept: true,
    guidance: ["proposal_apply_required"],
  } satisfies Blocked;
  return [{ type: "RunBlocked", data: { blocked } }];
}

function filesText({ files, count }: Pick<ProposalState, "files" | "count">): string {
  const named = files.slice(0, FILES_SAID_MAX).map(({ path }) => path);
  const more = count - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${String(more)} more` : ""}`;
}

/** What gets a run on that waits for a proposal; one that is in conflict can only be made again. */
export function proposalWords(state: RunState, step: string | undefined): string[] | null {
  const open = step === undefined ? undefined : openProposal(state.proposals, step);
  if (open === undefined) return null;
  return open.refused?.cause === "conflict"
    ? [
        "proposal",
        "reject",
        open.id,
        "--note",
        "the files have changed since: do it again on them as they are",
      ]
    : ["proposal", "apply", open.id];
}

const isAskedFor = ({ blocked }: RunState, { step }: ProposalState): boolean =>
  blocked?.step === step && blocked.guidance.includes("proposal_apply_required");

/** A run that waited for a proposal goes on. */
export const goOnAfter = (state: RunState, proposal: ProposalState): RunEvent[] =>
  isAskedFor(state, proposal) ? [{ type: "RunUnblocked", data: {} }] : [];

/** A person decides about a proposal. */
export const settleProposal = (
  state: RunState,
  request: Asked<"apply_proposal" | "reject_proposal">,
  by: string,
): Verdict =>
  request.kind === "apply_proposal" ? askApply(state, request, by) : askReject(state, request, by);

function askApply(state: RunState, { proposal: id }: Asked<"apply_proposal">, by: string): Verdict {
  const refusal = notOpen(state, "proposal apply", id);
  if (refusal !== null) return refusedFor(refusal);
  return answered("the proposal is being applied", [
    { type: "ProposalApplyWanted", data: { proposal: id, by } },
  ]);
}

function askReject(
  state: RunState,
  { proposal: id, note, drop }: Asked<"reject_proposal">,
  by: string,
): Verdict {
  const refusal = notOpen(state, "proposal reject", id);
  const proposal = state.proposals.made[id];
  if (refusal !== null || proposal === undefined) return refusedFor(refusal ?? "");
  const { step, attempt } = proposal;
  const rejected: RunEvent = {
    type: "ProposalRejected",
    data: { proposal: id, step, by, note, ...(drop === true ? { drop } : {}) },
  };
  const after: RunEvent =
    drop === true
      ? { type: "StepSucceeded", data: { step, attempt, result: state.steps[step]?.result ?? null } }
      : { type: "StepReset", data: { step } };
  return answered(
    drop === true
      ? "rejected: the step is done without it"
      : "rejected: the step is worked again with your note",
    [rejected, after, ...goOnAfter(state, proposal)],
  );
}

function notOpen({ run, proposals: { made, wanted } }: RunState, what: string, id: string): string | null {
  const found = Object.hasOwn(made, id) ? made[id] : undefined;
  const open = Object.values(made).filter(({ status }) => status === "open");
  const named = open.map((one) => one.id).join(", ") || "none";
  if (found === undefined) return `${what} is refused: ${run} has no proposal "${id}"; open are: ${named}`;
  if (found.status !== "open")
    return `${what} is refused: ${id} is ${found.status} already; open are: ${named}`;
  return wanted === null ? null : `${what} is refused: ${wanted.proposal} is being applied just now`;
}
