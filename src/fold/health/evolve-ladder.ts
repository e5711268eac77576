import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

interface At {
  readonly at: number;
}

/** The part of the fold that concerns remedies for stuck agents. */
export const evolveLadder = {
  RemedyTaken(state: RunState, data: EventData<"RemedyTaken">, { at }: At): void {
    const step = state.steps[data.step];
    if (step === undefined) return;
    const { remedy, tryNumber, pattern, afresh = false } = data;
    const isSameTrouble = step.ladder !== null && remedy !== "warn";
    step.ladder = {
      pattern,
      openedAt: isSameTrouble ? (step.ladder?.openedAt ?? at) : at,
      remedy,
      tryNumber,
      takenAt: at,
      // A warning does nothing that could arrive later.
      effectAt: remedy === "warn" ? at : null,
      bySession: false,
      meanwhile: null,
      outcome: null,
      taken: { remedy, tryNumber },
      triage: isSameTrouble ? (step.ladder?.triage ?? null) : null,
      decidedAt: null,
    };
    step.remedies[remedy] = (step.remedies[remedy] ?? 0) + 1;
    const attempt = state.attempts[data.attempt];
    if (attempt !== undefined && afresh) attempt.afresh = true;
    step.helper = data.helper ?? null;
  },

  ExpertTried(state: RunState, { step: name, to }: EventData<"ExpertTried">): void {
    const step = state.steps[name];
    if (step === undefined) return;
    step.expert = to;
    // What the agents before it did not change says nothing about the expert.
    step.sameChecks = 0;
    step.sameFailures = 0;
  },

  /** What helped is remembered for a while: trouble that comes back soon goes on up from there. */
  RemedyJudged(state: RunState, data: EventData<"RemedyJudged">, { at }: At): void {
    const step = state.steps[data.step];
    if (step === undefined || step.ladder === null) return;
    const { remedy, tryNumber, outcome } = data;
    const place = outcome === "not_applicable" ? { remedy, tryNumber } : {};
    step.ladder = { ...step.ladder, ...place, outcome, decidedAt: at };
  },
};
