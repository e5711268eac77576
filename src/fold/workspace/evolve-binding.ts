import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { EventData } from "../../model/events/events.ts";
import {
  type BindingDrift,
  type Bindings,
  type Rebound,
  type RunSource,
  specDifferences,
} from "../../model/flow/bindings.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

/** The part of the fold that concerns who is to work what, as the files say. */
export const evolveBinding = {
  BindingDriftFound(state: RunState, { drifts }: EventData<"BindingDriftFound">): void {
    state.binding.report = null;
    state.binding.found = drifts;
  },
  StepsRebound(state: RunState, { rebound }: EventData<"StepsRebound">): void {
    rebind(state, rebound);
  },
};

export function intendBindingLook({ binding }: RunState): void {
  binding.looks += 1;
}

/** A look that failed has seen nothing; the next one comes when it is due. */
export function settleBindingLook(
  state: RunState,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  const { binding } = state;
  binding.lookedAt = at;
  binding.unread = outcome.kind === "done" ? undefined : outcome.text;
  const now = outcome.kind === "done" ? outcome.bindings : undefined;
  if (now === undefined || binding.source === null) return;
  const drifts = bindingDrifts(state, binding.source, now);
  if (JSON.stringify(drifts) !== JSON.stringify(binding.found)) binding.report = drifts;
}

export function rebind(state: RunState, rebound: readonly Rebound[]): void {
  for (const { step: name, agent, named, spec, authority } of rebound) {
    const step = state.steps[name];
    if (step === undefined) continue;
    state.agents[agent] = spec;
    if (agent !== named) state.binding.named[agent] = named;
    step.spec = { ...step.spec, agent, authority };
  }
  const settled = new Set(rebound.map(({ step }) => step));
  state.binding.found = state.binding.found.filter(({ step }) => !settled.has(step));
  state.binding.report = null;
}

/** What was given out and would be given out otherwise now; of a file that says nothing nothing is known. */
const bindingDrifts = (state: RunState, source: RunSource, now: Bindings): BindingDrift[] =>
  Object.values(state.steps)
    .filter(({ started, status }) => started > 0 && status !== "succeeded")
    .flatMap((step) => driftsOf(state, step, { source, now }));

export function driftsOf(
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
