/**
 * The arithmetic of budgets: who pays, what is reserved, what comes back. Budget scopes are moved by events alone, so
 * the budget scopes folded from a journal are those that were lived.
 *
 * 1. total = free + reserved + spent, in every budget scope and for every kind, at every instant.
 * 2. What is spent inside a child with a budget scope of its own is that scope's, until the child is settled; then it
 *    is spent by the budget scope around it, and the whole reservation goes back. A child that overdrew costs what it
 *    used, not what it had.
 * 3. A kind that a budget scope does not limit is paid by the nearest budget scope around it that does, and at last by
 *    the run's.
 */
import { insideChild, insideIteration, recordOfScope, splitKey } from "../../model/values/program-key.ts";
import {
  type Budget,
  BUDGET_KINDS,
  type BudgetKind,
  type BudgetScope,
  type BudgetScopes,
  newBudgetScope,
  RUN_BUDGET,
  toUnits,
  unitsOf,
} from "../../model/requests/budget.ts";
import type { EventData, EventType, RunEvent } from "../../model/events/events.ts";
import { invariant } from "../../model/fault.ts";

const partsOf = (scope: string): readonly string[] => (scope === "" ? [] : scope.split("/"));

/** The key of the budget scope that the scope itself would have. */
const scopeKeyOf = (path: readonly string[]): string =>
  [...path.slice(0, -1), recordOfScope(path.at(-1) ?? "")].join("/");

export const runBudgetScope = (budgets: BudgetScopes): BudgetScope => {
  const budget = budgets[RUN_BUDGET];
  invariant(budget !== undefined, "every workflow function has a budget of its own");
  return budget;
};

/** Who pays for something of that kind in that scope. */
export function payerOf(budgets: BudgetScopes, path: readonly string[], kind: BudgetKind): string {
  // The common case at once: nobody has a budget scope but the run.
  if (path.length === 0 || budgets[RUN_BUDGET]?.inside === 0) return RUN_BUDGET;
  for (let length = path.length; length > 0; length -= 1) {
    const key = scopeKeyOf(path.slice(0, length));
    if (budgets[key]?.total[kind] !== undefined) return key;
  }
  return RUN_BUDGET;
}

export const payer = (budgets: BudgetScopes, path: readonly string[], kind: BudgetKind): BudgetScope =>
  budgets[payerOf(budgets, path, kind)] ?? runBudgetScope(budgets);

/** The budget scope around a child, regardless of its kinds. */
function around(budgets: BudgetScopes, path: readonly string[]): BudgetScope {
  if (budgets[RUN_BUDGET]?.inside === 0) return runBudgetScope(budgets);
  for (let length = path.length; length > 0; length -= 1) {
    const budget = budgets[scopeKeyOf(path.slice(0, length))];
    if (budget !== undefined) return budget;
  }
  return runBudgetScope(budgets);
}

function reserve(budgets: BudgetScopes, key: string, budget: Budget): void {
  if (budgets[key] !== undefined) return;
  const { scope } = splitKey(key);
  const one = newBudgetScope(budget);
  for (const [kind, units] of Object.entries(one.total) as [BudgetKind, number][])
    payer(budgets, scope, kind).reserved[kind] += units;
  around(budgets, scope).inside += 1;
  budgets[key] = one;
}

function giveBack(budgets: BudgetScopes, key: string): void {
  const budget = budgets[key];
  if (budget === undefined) return;
  const { scope } = splitKey(key);
  Reflect.deleteProperty(budgets, key);
  around(budgets, scope).inside -= 1;
  for (const [kind, units] of Object.entries(budget.total) as [BudgetKind, number][]) {
    const outer = payer(budgets, scope, kind);
    outer.reserved[kind] -= units;
    outer.spent[kind] += budget.spent[kind];
  }
}

/** Settles every budget scope inside those scopes, the innermost first. */
function giveBackInside(budgets: BudgetScopes, isInside: (key: string) => boolean): void {
  const keys = Object.keys(budgets).filter((key) => key !== RUN_BUDGET && isInside(key));
  const depth = (key: string): number => key.split("/").length;
  for (const key of keys.sort((a, b) => depth(b) - depth(a))) giveBack(budgets, key);
}

function spend(
  budgets: BudgetScopes,
  path: readonly string[],
  amounts: { readonly [Kind in BudgetKind]?: number | undefined },
): void {
  for (const kind of BUDGET_KINDS) {
    const amount = amounts[kind] ?? 0;
    if (amount !== 0) payer(budgets, path, kind).spent[kind] += toUnits(kind, amount);
  }
}

function spawned(budgets: BudgetScopes, { key, budget, attempt }: EventData<"BodySpawned">): void {
  if (attempt > 1 && runBudgetScope(budgets).inside > 0) giveBackInside(budgets, insideChild(key));
  if (budget !== undefined) reserve(budgets, key, budget);
}

function childEnded(budgets: BudgetScopes, { key }: EventData<"BodyChildEnded">): void {
  const own = budgets[key];
  if ((own ?? around(budgets, splitKey(key).scope)).inside > 0) giveBackInside(budgets, insideChild(key));
  giveBack(budgets, key);
}

function looped(budgets: BudgetScopes, { key, i }: EventData<"BodyLooped">): void {
  const { scope } = splitKey(key);
  spend(budgets, scope, { iterations: 1 });
  if (around(budgets, scope).inside === 0) return;
  giveBackInside(budgets, insideIteration(key, i));
}

const giveAllBack = (budgets: BudgetScopes): void => {
  giveBackInside(budgets, () => true);
};

type Moves = { readonly [Type in EventType]?: (budgets: BudgetScopes, data: EventData<Type>) => void };
const MOVES: Moves = {
  BodySpent: (budgets, data) => {
    spend(budgets, partsOf(data.scope), data);
  },
  BodyLooped: looped,
  BodySpawned: spawned,
  BodyChildEnded: childEnded,
  BodyBudgetSet: (budgets, { budget }) => {
    runBudgetScope(budgets).total = unitsOf(budget);
  },
  RunCompleted: giveAllBack,
  RunFailed: giveAllBack,
  RunCancelled: giveAllBack,
};

/** A map, and no object: the machine would expect the type it saw last, and be slow again at the end of every run. */
const MOVE_BY_TYPE = new Map(
  Object.entries(MOVES) as [EventType, (budgets: BudgetScopes, data: unknown) => void][],
);

/** Moves the budget scopes by one event; events that concern no budget leave them alone. */
export function moveBudgetScopes(budgets: BudgetScopes, event: RunEvent): void {
  MOVE_BY_TYPE.get(event.type)?.(budgets, event.data);
}
