import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { settleHome } from "../workspace/settle-home.ts";
import { settleBaseline } from "./baseline.ts";
import { noteMoved, settleBound } from "./bound-evidence.ts";

/** So often a check is tried whose outcome cannot be learned; then a person is asked (I6). */
const UNKNOWNS_MAX = 3;

/** One whose outcome was not learnt does not outrank anything. */
function settleShown(attempt: AttemptState | undefined, outcome: EffectOutcome): void {
  const evidence = outcome.kind === "done" ? outcome.evidence : undefined;
  attempt?.shown.push(evidence?.verdict ?? "unknown");
}

/**
 * A check that found nothing out (it was interrupted, or could not be run) leaves no evidence and is run again. So is
 * one whose tree moved, with all that was shown before it.
 */
export function settleCheck(
  state: RunState,
  effect: Extract<Effect, { kind: "RunCheck" }>,
  outcome: EffectOutcome,
): void {
  const { step, attempt, phase, command } = effect;
  if (phase === "before") return settleBaseline(state, effect, outcome);
  if (phase === "home") return settleHome(state, effect, outcome);
  if (phase === "end") return settleShown(state.attempts[attempt], outcome);
  settleBound(state, effect, outcome);
  const checking = state.steps[step]?.checking ?? null;
  // What was found about work that was sent back says nothing about the work that followed it.
  if (checking === null || checking.attempt !== attempt) return;
  if (noteMoved(checking, command, outcome)) {
    checking.reviews = [];
    return;
  }
  if (outcome.kind !== "done" || outcome.evidence === undefined) return;
  if (outcome.evidence.verdict === "unknown") checking.unknowns += 1;
  else checking.unknowns = 0;
  if (outcome.evidence.verdict === "unknown" && checking.unknowns < UNKNOWNS_MAX) return;
  checking.evidence.push(outcome.evidence);
}
