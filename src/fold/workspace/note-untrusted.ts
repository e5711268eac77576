import { lacksTrust } from "../../model/flow/bindings.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { noteFound } from "../gate/evolve-seal.ts";

/** What stays open until it is trusted: its work is done, and only what proves or publishes it is missing. */
const WAITS: ReadonlySet<Effect["kind"]> = new Set(["RunCheck", "AskReview", "RunAtGate"]);

/**
 * Notes a check, a review or a command of a gate that was not run because files are not as they were trusted. It leaves
 * nothing else behind: once a person has decided, the same is intended again. A check at the end of an attempt that
 * failed is not waited for; the failure stands.
 */
export function noteUntrusted(state: RunState, effect: Effect, outcome: EffectOutcome): boolean {
  if (outcome.kind !== "failed" || !WAITS.has(effect.kind) || !lacksTrust(outcome.text)) return false;
  if (effect.kind === "RunCheck" && effect.phase === "end") return false;
  if (effect.kind === "AskReview" && outcome.seal !== undefined)
    noteFound(state, {
      attempt: effect.attempt,
      step: effect.step,
      agent: effect.agent,
      report: outcome.seal,
    });
  state.binding.untrusted = `${nameOf(effect)} was not run, because what it would obey is ${outcome.text}`;
  return true;
}

const nameOf = (effect: Effect): string =>
  effect.kind === "AskReview"
    ? `the review by ${effect.agent}`
    : `\`${"command" in effect ? effect.command : effect.kind}\``;
