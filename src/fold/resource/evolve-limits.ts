import { pressKey } from "../attempt/live-wait.ts";
import type { EventData } from "../../model/events/events.ts";
import type { SettingChange } from "../../model/events/limit-events.ts";
import type { AgentBudget } from "../../model/requests/budget.ts";
import { partOf } from "../../model/settings/settable.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** The part of the fold that concerns limits and who changes them. */
export const evolveLimits = {
  BudgetPressed(
    state: RunState,
    { step, kind, level }: EventData<"BudgetPressed">,
    { at }: { readonly at: number },
  ): void {
    state.pressed[pressKey(kind, step)] = level;
    if (level === "spent") state.overAt[pressKey(kind, step)] = at;
  },
  RunBudgetSet(state: RunState, { budget }: EventData<"RunBudgetSet">): void {
    reportAgain(state, (key) => !key.includes("/"));
    state.budget = budget satisfies AgentBudget;
  },
  RunSettingsChanged(state: RunState, { changes }: EventData<"RunSettingsChanged">): void {
    for (const change of changes) applyChange(state, change);
    reportAgain(state, (key) => key.includes("/"));
  },
};

/** What was reported about a budget was about what it was. */
function reportAgain(state: RunState, isChanged: (key: string) => boolean): void {
  for (const key of Object.keys(state.pressed))
    if (isChanged(key))
      for (const record of [state.pressed, state.overAt]) Reflect.deleteProperty(record, key);
}

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
