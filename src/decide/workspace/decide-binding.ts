import { driftsOf } from "../../fold/workspace/evolve-drift.ts";
import {
  type BindingDrift,
  type Bindings,
  type Rebound,
  specDifferences,
} from "../../model/flow/bindings.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isOver } from "../../model/state/step-over.ts";

/**
 * A run records who works its steps, and goes on with that. If the configuration or the flow's file says otherwise
 * later, that is drift too (W6): it is shown, and a person may have the step redone as it is written now.
 */
export function decideBinding(state: RunState, now: number): RunEvent[] {
  const { source, report, looks } = state.binding;
  if (source === null || isUnderWay(state)) return [];
  if (report !== null) return [{ type: "BindingDriftFound", data: { drifts: report } }];
  if (now < nextBindingLook(state)) return [];
  const key = effectKey("binding", "LookAtBindings", looks + 1);
  return [{ type: "EffectIntended", data: { key, effect: { kind: "LookAtBindings", source } } }];
}

/** When the files that bind agents at work are looked at next. */
export function nextBindingLook(state: RunState): number {
  const { source, lookedAt } = state.binding;
  if (source === null || isUnderWay(state) || state.settings.drift.when === "never") return Infinity;
  if (Object.keys(state.attempts).length === 0) return Infinity;
  return lookedAt + state.settings.drift.everyMs;
}

const isUnderWay = (state: RunState): boolean =>
  Object.values(state.effects).some(({ kind }) => kind === "LookAtBindings");

/** What is not done and nobody works at, where the files bind it otherwise now. */
export const retriedDrifts = (state: RunState, now: Bindings): BindingDrift[] => {
  const { source } = state.binding;
  if (source === null) return [];
  return Object.values(state.steps)
    .filter((step) => !isOver(step) && step.live === null)
    .flatMap((step) => driftsOf(state, step, { source, now }));
};

/** How steps are worked as the files say now: sessions at work keep what they were started with. */
export function reboundOf(
  state: RunState,
  steps: readonly string[],
  found: readonly BindingDrift[] = state.binding.found,
): Rebound[] {
  const rebound: Rebound[] = [];
  for (const { step, agent: named, spec, authority } of found) {
    if (!steps.includes(step) || rebound.some((one) => one.step === step)) continue;
    rebound.push({ step, agent: nameFor(state, rebound, { named, spec }), named, spec, authority });
  }
  return rebound;
}

/** A name of the run's own for an agent that is started otherwise than the one that has its name. */
function nameFor(
  { agents }: RunState,
  rebound: readonly Rebound[],
  { named, spec }: Pick<Rebound, "named" | "spec">,
): string {
  const taken = { ...agents, ...Object.fromEntries(rebound.map((one) => [one.agent, one.spec])) };
  const names = [named, ...Array.from({ length: 1_000 }, (_, at) => `${named}.${String(at + 2)}`)];
  const fits = (name: string): boolean => {
    const known = Object.hasOwn(taken, name) ? taken[name] : undefined;
    return known === undefined || specDifferences(known, spec).length === 0;
  };
  return names.find(fits) ?? named;
}
