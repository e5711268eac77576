import type { EffectOutcome, TriageState } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { spendAsked } from "../resource/spent-today.ts";

type AskTriage = Extract<Effect, { kind: "AskTriage" }>;

/** The part of the fold that concerns what an agent says about a stuck one. */
export const evolveTriage = {
  TriageJudged(state: RunState, data: EventData<"TriageJudged">, { at }: { readonly at: number }): void {
    const openedAt = state.triaged?.effect.openedAt;
    state.triaged = null;
    const { verdict, counts } = data;
    const step = state.steps[data.step];
    const asked = step?.ladder?.triage ?? null;
    if (asked === null || step?.ladder?.openedAt !== openedAt) return;
    setTriage(state, data.step, { ...asked, verdict: counts ? verdict : "none", at });
  },
};

export function intendTriage(state: RunState, { step }: AskTriage, at: number): void {
  state.triages += 1;
  setTriage(state, step, { askedAt: at, verdict: null, at });
}

/** What it cost is the run's, no matter what it is worth. */
export function settleTriage(
  state: RunState,
  effect: AskTriage,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  const report =
    outcome.kind === "done" && outcome.triage !== undefined
      ? outcome.triage
      : {
          verdict: "none" as const,
          why: outcome.kind === "done" ? "no answer" : outcome.text,
          usd: 0,
          tokens: 0,
        };
  spendAsked(state, report, at);
  state.triaged = { effect, report };
}

function setTriage(state: RunState, name: string, triage: TriageState): void {
  const step = state.steps[name];
  if (step !== undefined && step.ladder !== null) step.ladder = { ...step.ladder, triage };
}
