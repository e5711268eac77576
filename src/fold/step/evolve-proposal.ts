import type { EventData } from "../../model/events/events.ts";
import type { ProposalsState, ProposalState } from "../../model/requests/proposal.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { WorkspaceFacts } from "../../model/effects/workspace-effects.ts";
import type { WorkspaceEffect } from "../../model/state/workspace-state.ts";
import type { Place } from "../place.ts";
import { dequeue } from "./enqueue.ts";

/** The part of the fold that concerns proposals. */
export const evolveProposal = {
  CopyMade(state: RunState, { step, tree, base, commit }: EventData<"CopyMade">): void {
    settled(state);
    state.proposals.copies[step] = { tree, base, commit };
    state.proposals.copied += 1;
  },
  CopyDropped(state: RunState, { tree }: EventData<"CopyDropped">): void {
    settled(state);
    state.proposals.dropping = state.proposals.dropping.filter((one) => one !== tree);
  },
  ProposalMade(state: RunState, data: EventData<"ProposalMade">, { at }: Place): void {
    const { proposal: id, ...facts } = data;
    state.proposals.made[id] = { id, ...facts, at, status: "open", refused: null };
    const step = state.steps[data.step];
    if (step === undefined) return;
    step.status = "proposed";
    step.checking = null;
    Reflect.deleteProperty(state.checking, data.step);
    dequeue(state, data.step);
  },
  ProposalApplyWanted(state: RunState, { proposal, by }: EventData<"ProposalApplyWanted">): void {
    state.proposals.wanted = { proposal, by };
    // The one that asks has seen to what was in the way.
    state.workspace.failures = 0;
  },
  ProposalApplied(state: RunState, { proposal }: EventData<"ProposalApplied">): void {
    settled(state);
    state.proposals.wanted = null;
    change(state, proposal, "applied");
  },
  ProposalApplyRefused(state: RunState, { proposal, cause, files }: EventData<"ProposalApplyRefused">): void {
    settled(state);
    state.proposals.wanted = null;
    const found = state.proposals.made[proposal];
    if (found !== undefined) found.refused = { cause, files };
  },
  ProposalRejected(
    state: RunState,
    { proposal, step: name, note, drop }: EventData<"ProposalRejected">,
  ): void {
    const found = change(state, proposal, "rejected");
    const step = state.steps[name];
    if (step === undefined || drop === true) return;
    step.feedback = `your proposal was rejected: ${note}`;
    // The tree has gone on without it: the next attempt begins with a copy of what is there now.
    if (found?.refused?.cause === "conflict") leaveCopy(state, name);
  },
};

function settled({ workspace }: RunState): void {
  workspace.settled = null;
  workspace.failures = 0;
}

function change(
  { proposals: { made } }: RunState,
  id: string,
  status: ProposalState["status"],
): ProposalState | undefined {
  const found = made[id];
  if (found !== undefined) found.status = status;
  return found;
}

/** Nobody works in a copy any more whose proposal is settled. A conversation knows the folder that it was had in. */
export function leaveCopy(state: RunState, step: string): void {
  const copy = state.proposals.copies[step];
  if (copy === undefined) return;
  Reflect.deleteProperty(state.proposals.copies, step);
  state.proposals.dropping.push(copy.tree);
  const of = state.steps[step];
  if (of !== undefined) of.conversation = null;
}

/** What is to be done again is not to be applied. */
export function withdraw({ proposals: { made } }: RunState, step: string): void {
  for (const one of Object.values(made))
    if (one.step === step && one.status === "open") one.status = "withdrawn";
}

/** What was found of work that was sent back since says nothing about the work that followed it. */
export function noteProposed(
  { steps, workspace }: RunState,
  effect: WorkspaceEffect,
  facts: Extract<WorkspaceFacts, { kind: "proposed" | "unproposed" }>,
): void {
  workspace.failures = 0;
  if (effect.kind !== "KeepProposal") return;
  const checking = steps[effect.step]?.checking ?? null;
  if (checking?.attempt === effect.attempt) checking.proposed = facts;
}

const SNAPSHOTS: Readonly<Partial<Record<WorkspaceEffect["kind"], readonly string[]>>> = {
  CopyTree: ["/base", "/fill/before/1"],
  KeepProposal: [""],
  ApplyProposal: ["/now"],
};

/** What is kept on the way, by the keys that the workspace gives it. What was overwritten is not among it: it stays. */
export function intendSnapshots({ proposals }: RunState, key: string, effect: WorkspaceEffect): void {
  const parts = SNAPSHOTS[effect.kind];
  if (parts === undefined || !("project" in effect)) return;
  for (const part of parts) proposals.snapshots.push({ project: effect.project, key: `${key}${part}` });
}

export function releaseSnapshots({ proposals }: RunState, released: ProposalsState["snapshots"]): void {
  const keys = new Set(released.map(({ key }) => key));
  proposals.snapshots = proposals.snapshots.filter(({ key }) => !keys.has(key));
}
