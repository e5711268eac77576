import {
  type BindingDrift,
  type Bindings,
  type RunSource,
  specDifferences,
} from "../../model/flow/bindings.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

/** What was given out and would be given out otherwise now; of a file that says nothing nothing is known. */
export const bindingDrifts = (state: RunState, source: RunSource, now: Bindings): BindingDrift[] =>
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
