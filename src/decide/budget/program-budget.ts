import { payer, payerOf, runBudgetScope } from "../../fold/program/move-budget-scopes.ts";
import {
  type Budget,
  BUDGET_KINDS,
  type BudgetKind,
  type BudgetScope,
  type BudgetScopes,
  fromUnits,
  unitsOf,
} from "../../model/requests/budget.ts";

/** What is free of a limited kind, in units; negative by what was spent beyond. Undefined: not limited. */
export function freeOf(budget: BudgetScope, kind: BudgetKind): number | undefined {
  const total = budget.total[kind];
  return total === undefined ? undefined : total - budget.reserved[kind] - budget.spent[kind];
}

export interface Shortage {
  readonly kind: BudgetKind;
  readonly wanted: number;
  readonly free: number;
}

/** The first kind of which the scope cannot reserve that much, or null. */
export function shortageOf(budgets: BudgetScopes, path: readonly string[], budget: Budget): Shortage | null {
  for (const [kind, units] of Object.entries(unitsOf(budget)) as [BudgetKind, number][]) {
    const free = freeOf(payer(budgets, path, kind), kind);
    if (free !== undefined && units > free)
      return { kind, wanted: fromUnits(kind, units), free: fromUnits(kind, Math.max(0, free)) };
  }
  return null;
}

export interface Exhausted {
  readonly kind: BudgetKind;
  /** Whose budget scope it is; the empty key is the run's. */
  readonly key: string;
  readonly total: number;
  readonly spent: number;
  readonly reserved: number;
}

/**
 * The first of these kinds of which the scope has nothing left. `running` is time that is not recorded yet, by budget
 * scope.
 */
export function exhaustedIn(
  budgets: BudgetScopes,
  path: readonly string[],
  kinds: readonly BudgetKind[],
  running: (key: string) => number = () => 0,
): Exhausted | null {
  for (const kind of kinds) {
    const key = payerOf(budgets, path, kind);
    const budget = budgets[key] ?? runBudgetScope(budgets);
    const free = freeOf(budget, kind);
    if (free === undefined || free - (kind === "timeMs" ? running(key) : 0) > 0) continue;
    const shown = (units: number): number => fromUnits(kind, units);
    return {
      kind,
      key,
      total: shown(budget.total[kind] ?? 0),
      spent: shown(budget.spent[kind]),
      reserved: shown(budget.reserved[kind]),
    };
  }
  return null;
}

/** What a scope may know of its budget. A kind that is not limited has no total and nothing free. */
export interface BudgetView {
  readonly total: Budget;
  readonly free: Budget;
  readonly reserved: Budget;
  readonly spent: Budget;
}

export function budgetView(
  budgets: BudgetScopes,
  path: readonly string[],
  running: (key: string) => number = () => 0,
): BudgetView {
  const view = { total: {}, free: {}, reserved: {}, spent: {} } as Record<keyof BudgetView, Budget>;
  for (const kind of BUDGET_KINDS) {
    const key = payerOf(budgets, path, kind);
    const budget = budgets[key] ?? runBudgetScope(budgets);
    const unrecorded = kind === "timeMs" && budget.total.timeMs !== undefined ? running(key) : 0;
    const free = freeOf(budget, kind);
    if (free !== undefined) {
      view.total[kind] = fromUnits(kind, budget.total[kind] ?? 0);
      view.free[kind] = fromUnits(kind, free - unrecorded);
    }
    view.reserved[kind] = fromUnits(kind, budget.reserved[kind]);
    view.spent[kind] = fromUnits(kind, budget.spent[kind] + unrecorded);
  }
  return view;
}

/** The settings that would let a run go on about as long again, for each kind of which it has nothing left. */
export function enoughForProgram(budgets: BudgetScopes): string[] {
  const budget = runBudgetScope(budgets);
  return BUDGET_KINDS.filter((kind) => (freeOf(budget, kind) ?? 1) <= 0).map((kind) => {
    const used = budget.spent[kind] + budget.reserved[kind];
    const enough = Math.ceil(fromUnits(kind, Math.max(used, budget.total[kind] ?? 0)) * 2);
    return kind === "timeMs" ? `budget.time=${String(enough)}ms` : `budget.${kind}=${String(enough)}`;
  });
}
