import type { Rebound } from "../../model/flow/bindings.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { bindingDrifts } from "./binding-drifts.ts";

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
