import type { EventData } from "../model/events.ts";
import type { RunState } from "../model/run-state.ts";

interface At {
  readonly at: number;
}

/** The part of the fold that concerns remedies for stuck agents. */
export const evolveLadder = {
  RemedyTaken(state: RunState, data: EventData<"RemedyTaken">, { at }: At): void {
    const step = state.steps[data.step];
    if (step === undefined) return;
    const { remedy, tryNumber, pattern } = data;
    step.ladder = {
      pattern,
      openedAt: step.ladder?.openedAt ?? at,
      remedy,
      tryNumber,
      takenAt: at,
      outcome: null,
    };
    step.remedies[remedy] = (step.remedies[remedy] ?? 0) + 1;
  },

  RemedyJudged(state: RunState, data: EventData<"RemedyJudged">): void {
    const step = state.steps[data.step];
    if (step === undefined || step.ladder === null) return;
    const { remedy, tryNumber, outcome } = data;
    step.ladder = outcome === "helped" ? null : { ...step.ladder, remedy, tryNumber, outcome };
  },
};
