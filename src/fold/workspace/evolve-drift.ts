import { newDrift } from "../../model/state/drift.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { evolveBinding, rebind } from "./evolve-binding.ts";
import { overlapsAnew } from "./evolve-overlap.ts";

/** So often a look that fails is tried before agents begin without: not knowing is no drift (I6). */
const LOOKS_MAX = 3;

/** The part of the fold that concerns the base under a run's work. */
export const evolveDrift = {
  ...evolveBinding,
  BaseNoted(state: RunState, { branch, commit }: EventData<"BaseNoted">): void {
    state.drift.base = { branch, commit };
    state.drift.found = null;
    seen(state);
  },
  DriftFound(state: RunState, { head }: EventData<"DriftFound">): void {
    state.drift.found = head;
    seen(state);
  },
  StepsReissued(state: RunState, { base, rebound = [] }: EventData<"StepsReissued">): void {
    rebind(state, rebound);
    overlapsAnew(state);
    const { looks } = state.drift;
    state.drift = { ...newDrift(), looks, base: base ?? null };
  },
};

/** Whoever lived when it was looked at may have moved it right afterwards. */
function seen({ drift, attempts }: RunState): void {
  drift.report = null;
  drift.fresh = drift.lookedWith.every((attempt) => attempt in attempts);
  drift.movers = [...new Set([...drift.lookedWith, ...Object.keys(attempts)])];
}

export function intendLook({ drift, attempts }: RunState): void {
  drift.looks += 1;
  drift.lookedWith = Object.keys(attempts);
}

/** Who works may move it. An attempt begins once: only the last could be the same. */
export function mayMoveBase({ drift }: RunState, attempt: string): void {
  if (drift.movers.at(-1) !== attempt) drift.movers.push(attempt);
}

export function settleLook(
  state: RunState,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  const { drift } = state;
  drift.lookedAt = at;
  const head = outcome.kind === "done" ? outcome.head : undefined;
  if (head === undefined) {
    drift.failures += 1;
    if (drift.failures >= LOOKS_MAX) drift.fresh = true;
    return;
  }
  drift.failures = 0;
  const { base, found } = drift;
  const isSame = base?.commit === head.commit && base.branch === head.branch;
  const isKnown = found?.commit === head.commit && found.branch === head.branch;
  if ((isSame && found === null) || isKnown) seen(state);
  else drift.report = head;
}
