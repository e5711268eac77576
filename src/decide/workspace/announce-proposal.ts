import type { Effect } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { WorkspaceFacts } from "../../model/effects/workspace-effects.ts";
import { goOnAfter } from "./decide-proposals.ts";

type FactsOf<Kind extends WorkspaceFacts["kind"]> = Extract<WorkspaceFacts, { kind: Kind }>;
type ProposalFacts = FactsOf<"copied" | "applied" | "unapplied" | "dropped">;

/** What was done about proposals is told once, with what follows from it. */
export function announceProposal(state: RunState, effect: Effect, facts: ProposalFacts): RunEvent[] {
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
      return effect.kind === "ApplyProposal" ? tellApplied(state, effect.proposal, facts) : [];
  }
}

function tellApplied(state: RunState, id: string, facts: FactsOf<"applied" | "unapplied">): RunEvent[] {
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
