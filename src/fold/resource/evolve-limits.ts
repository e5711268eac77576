import type { AgentBudget } from "../../model/requests/budget.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { pressKey } from "../attempt/worked-time.ts";
import { applyChange } from "./apply-change.ts";

interface At {
  readonly at: number;
}

/** The part of the fold that concerns limits and who changes them. */
export const evolveLimits = {
  BudgetPressed(state: RunState, { step, kind, level }: EventData<"BudgetPressed">, { at }: At): void {
    state.pressed[pressKey(kind, step)] = level;
    if (level === "spent") state.overAt[pressKey(kind, step)] = at;
  },
  RunBudgetSet(state: RunState, { budget }: EventData<"RunBudgetSet">): void {
    tellAnew(state, (key) => !key.includes("/"));
    state.budget = budget satisfies AgentBudget;
  },
  RunSettingsChanged(state: RunState, { changes }: EventData<"RunSettingsChanged">): void {
    for (const change of changes) applyChange(state, change);
    tellAnew(state, (key) => key.includes("/"));
  },
};

/** What was told of a budget was about what it was. */
function tellAnew(state: RunState, isChanged: (key: string) => boolean): void {
  for (const key of Object.keys(state.pressed))
    if (isChanged(key))
      for (const record of [state.pressed, state.overAt]) Reflect.deleteProperty(record, key);
}
