import { brakeBudgets, brakeDueAt } from "../budget/budget-brake.ts";
import { decideHooks } from "../gate/decide-hooks.ts";
import { decidePolicies } from "../gate/decide-policies.ts";
import { decideProgress } from "../gate/decide-progress.ts";
import { budgetDueAt, decideBudgets } from "../budget/run-budget.ts";
import { decideTimeLimits, timeLimitDueAt } from "../budget/time-limits.ts";
import { brakeUncounted } from "../budget/uncounted-money.ts";
import { due, type Rule } from "./rule.ts";

/** A budget is pressed before it brakes, so that its grace has a beginning in the journal. */
export const budgetRule: Rule = {
  name: "budget",
  decide: decideBudgets,
  dueAt: (state, now) => due(budgetDueAt(state, now)),
};

export const brakeRule: Rule = {
  name: "budget brake",
  decide: brakeBudgets,
  dueAt: (state, now) => due(brakeDueAt(state, now)),
};

export const uncountedRule: Rule = { name: "uncounted money", decide: brakeUncounted };

export const progressRule: Rule = { name: "progress", decide: decideProgress };

export const timeRule: Rule = {
  name: "time limit",
  decide: decideTimeLimits,
  dueAt: (state, now) => due(timeLimitDueAt(state, now)),
};

export const policyRule: Rule = { name: "policy", decide: decidePolicies };

export const hookRule: Rule = { name: "hook", decide: decideHooks };
