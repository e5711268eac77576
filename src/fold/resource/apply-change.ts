import type { SettingChange } from "../../model/events/limit-events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { partOf } from "../../model/settings/settable.ts";

/** Puts a changed setting into the state. */
export function applyChange(state: RunState, { key, to }: SettingChange): void {
  const part = partOf(key);
  if (part === null) {
    const [section = "", name = ""] = key.split(".");
    const settings: Record<string, Record<string, unknown>> = state.settings as never;
    state.settings = { ...settings, [section]: { ...settings[section], [name]: to } } as never;
    return;
  }
  if (part.of === "phase") {
    const phases = state.flow.phases.map((phase) =>
      phase.name === part.name ? { ...phase, limitMs: to as number } : phase,
    );
    state.flow = { ...state.flow, phases };
    return;
  }
  const step = state.steps[part.name];
  if (step === undefined) return;
  const budgetKind = part.part.startsWith("budget.") ? part.part.slice(7) : null;
  step.spec =
    budgetKind === null
      ? { ...step.spec, [part.part]: to }
      : { ...step.spec, budget: { ...step.spec.budget, [budgetKind]: to } };
}
