import { freshOverlaps } from "./evolve-overlap.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { EventData } from "../../model/events/events.ts";
import {
  type BindingDrift,
  type Bindings,
  type Rebound,
  type RunSource,
  specDifferences,
} from "../../model/flow/bindings.ts";
import { newDrift } from "../../model/state/drift.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

/** The part of the fold that concerns who is to work what, as the files say. */
const evolveBinding = {
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

function rebind(state: RunState, rebound: readonly Rebound[]): void {
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
  // The agent it was handed over to works it, no matter what the file says.
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
    freshOverlaps(state);
    const { looks } = state.drift;
    state.drift = { ...newDrift(), looks, base: base ?? null };
  },
};

/** The one that lived when it was looked at may have moved it right afterwards. */
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
