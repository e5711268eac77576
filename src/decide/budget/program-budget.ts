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
export function freeOf(pot: BudgetScope, kind: BudgetKind): number | undefined {
  const total = pot.total[kind];
  return total === undefined ? undefined : total - pot.reserved[kind] - pot.spent[kind];
}

export interface Shortage {
  readonly kind: BudgetKind;
  readonly wanted: number;
  readonly free: number;
}

/** The first kind of which the scope cannot reserve that much, or null. */
export function shortageOf(pots: BudgetScopes, path: readonly string[], budget: Budget): Shortage | null {
  for (const [kind, units] of Object.entries(unitsOf(budget)) as [BudgetKind, number][]) {
    const free = freeOf(payer(pots, path, kind), kind);
    if (free !== undefined && units > free)
      return { kind, wanted: fromUnits(kind, units), free: fromUnits(kind, Math.max(0, free)) };
  }
  return null;
}

export interface Exhausted {
  readonly kind: BudgetKind;
  /** Whose pot it is; the empty key is the run's. */
  readonly key: string;
  readonly total: number;
  readonly spent: number;
  readonly reserved: number;
}

/** The first of these kinds of which the scope has nothing left. `running` is time that is not recorded yet, by pot. */
export function exhaustedIn(
  pots: BudgetScopes,
  path: readonly string[],
  kinds: readonly BudgetKind[],
  running: (key: string) => number = () => 0,
): Exhausted | null {
  for (const kind of kinds) {
    const key = payerOf(pots, path, kind);
    const pot = pots[key] ?? runBudgetScope(pots);
    const free = freeOf(pot, kind);
    if (free === undefined || free - (kind === "timeMs" ? running(key) : 0) > 0) continue;
    const shown = (units: number): number => fromUnits(kind, units);
    return {
      kind,
      key,
      total: shown(pot.total[kind] ?? 0),
      spent: shown(pot.spent[kind]),
      reserved: shown(pot.reserved[kind]),
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
  pots: BudgetScopes,
  path: readonly string[],
  running: (key: string) => number = () => 0,
): BudgetView {
  const view = { total: {}, free: {}, reserved: {}, spent: {} } as Record<keyof BudgetView, Budget>;
  for (const kind of BUDGET_KINDS) {
    const key = payerOf(pots, path, kind);
    const pot = pots[key] ?? runBudgetScope(pots);
    const unrecorded = kind === "timeMs" && pot.total.timeMs !== undefined ? running(key) : 0;
    const free = freeOf(pot, kind);
    if (free !== undefined) {
      view.total[kind] = fromUnits(kind, pot.total[kind] ?? 0);
      view.free[kind] = fromUnits(kind, free - unrecorded);
    }
    view.reserved[kind] = fromUnits(kind, pot.reserved[kind]);
    view.spent[kind] = fromUnits(kind, pot.spent[kind] + unrecorded);
  }
  return view;
}

/** The settings that would let a run go on about as long again, for each kind of which it has nothing left. */
export function enoughForBody(pots: BudgetScopes): string[] {
  const pot = runBudgetScope(pots);
  return BUDGET_KINDS.filter((kind) => (freeOf(pot, kind) ?? 1) <= 0).map((kind) => {
    const used = pot.spent[kind] + pot.reserved[kind];
    const enough = Math.ceil(fromUnits(kind, Math.max(used, pot.total[kind] ?? 0)) * 2);
    return kind === "timeMs" ? `budget.time=${String(enough)}ms` : `budget.${kind}=${String(enough)}`;
  });
}
