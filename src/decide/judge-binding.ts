import {
  specDifferences,
  type BindingDrift,
  type Bindings,
  type Rebound,
  type RunSource,
} from "../model/bindings.ts";
import { effectKey } from "../model/effects.ts";
import type { RunEvent } from "../model/events.ts";
import type { RunState, StepState } from "../model/run-state.ts";

/**
 * A run records who works its steps, and goes on with that. If the configuration or the flow's file says otherwise
 * later, that is drift too (W6): it is told, and a person may have the step given out anew as it is written now.
 */
export function judgeBinding(state: RunState, now: number): RunEvent[] {
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

/** What was given out and would be given out otherwise now; of a file that says nothing nothing is known. */
export const bindingDrifts = (state: RunState, source: RunSource, now: Bindings): BindingDrift[] =>
  Object.values(state.steps)
    .filter(({ started, status }) => started > 0 && status !== "succeeded")
    .flatMap((step) => driftsOf(state, step, { source, now }));

function driftsOf(
  state: RunState,
  { spec: step }: StepState,
  { source, now }: { readonly source: RunSource; readonly now: Bindings },
): BindingDrift[] {
  const recorded = state.agents[step.agent];
  const named = state.binding.named[step.agent] ?? step.agent;
  const written = Object.hasOwn(now.steps, step.name) ? now.steps[step.name] : undefined;
  // Whoever it was handed over to works it, whatever the file says.
  const isHandedOver = state.handOvers.some((one) => one.step === step.name);
  const agent = isHandedOver ? named : (written?.agent ?? named);
  const isBound = agent !== named || source.agents.includes(named);
  const spec = (isBound && Object.hasOwn(now.agents, agent) ? now.agents[agent] : undefined) ?? recorded;
  if (recorded === undefined || spec === undefined) return [];
  const authority = written?.authority ?? step.authority;
  const differs = specDifferences(recorded, spec);
  const found = { step: step.name, agent, spec, authority };
  const drifts: BindingDrift[] = [];
  if (agent !== named)
    drifts.push({
      ...found,
      kind: "rebinding",
      text: `${step.name} is bound to ${agent} now, not to ${named}`,
    });
  else if (differs.length > 0)
    drifts.push({
      ...found,
      kind: "rebinding",
      text: `the agent ${named} of ${step.name} is bound otherwise now: ${differs.join(", ")}`,
    });
  if (authority !== step.authority)
    drifts.push({
      ...found,
      kind: "authority",
      text: `the authority of ${step.name} is ${authority} now, not ${step.authority}`,
    });
  return drifts;
}

/** How steps are given out anew as the files say now: sessions at work keep what they were started with. */
export function reboundOf(state: RunState, steps: readonly string[]): Rebound[] {
  const rebound: Rebound[] = [];
  for (const { step, agent: named, spec, authority } of state.binding.found) {
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
