import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { noteFound } from "../gate/evolve-seal.ts";
import { spendAsked } from "../resource/spent-today.ts";
import { noteMoved, settleBound } from "./bound-evidence.ts";

export type AskReview = Extract<Effect, { kind: "AskReview" }>;

const TRIES_MAX = 6;

export function intendReview(state: RunState, { step, attempt }: AskReview): void {
  const checking = state.steps[step]?.checking ?? null;
  if (checking?.attempt === attempt) checking.asked += 1;
}

/** What it cost is the run's, whatever it is worth. */
export function settleReview(
  state: RunState,
  effect: AskReview,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  const { step, attempt, agent } = effect;
  settleBound(state, effect, outcome);
  if (outcome.kind !== "in_doubt" && outcome.seal !== undefined)
    noteFound(state, { attempt, step, agent, report: outcome.seal });
  const report = outcome.kind === "done" ? outcome.review : undefined;
  const used = outcome.kind === "in_doubt" ? undefined : outcome.used;
  spendAsked(state, report ?? used ?? { usd: 0, tokens: 0 }, at);
  const checking = state.steps[step]?.checking ?? null;
  if (checking?.attempt !== attempt) return;
  if (noteMoved(checking, `the review by ${agent}`, outcome)) {
    checking.reviews = [];
    return;
  }
  // What was broken off, or could not be done, tells nothing: it is done again, so often.
  if (report === undefined && checking.asked < TRIES_MAX) return;
  const why = outcome.kind === "done" ? "no answer" : outcome.text;
  checking.reviews.push(
    report ?? { agent, verdict: "none", findings: [], why, digest: "", usd: 0, tokens: 0 },
  );
}
