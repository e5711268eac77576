import type { GateState } from "../../model/flow/gate.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** The steps that a refusal sends back: those named, or the last ones. */
export function reworkOf(state: RunState, { spec, members, of }: GateState): string[] {
  if (spec?.rework !== undefined) return spec.rework.filter((name) => Object.hasOwn(state.steps, name));
  const names = of === "completion" ? Object.keys(state.steps) : members;
  return names.filter((name) => !(state.dependents[name] ?? []).some((later) => names.includes(later)));
}
