/**
 * The arithmetic of budgets: who pays, what is reserved, what comes back. Pots are moved by events alone, so the pots
 * folded from a journal are those that were lived.
 *
 * 1. total = free + reserved + spent, in every pot and for every kind, at every instant.
 * 2. What is spent inside a child with a pot of its own is the pot's, until the child is settled; then it is spent by
 *    the pot around it, and the whole reservation goes back. A child that overdrew costs what it used, not what it had.
 * 3. A kind that a pot does not limit is paid by the nearest pot around it that does, and at last by the run's.
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

/** The key of the pot that the scope itself would have. */
const potKeyOf = (path: readonly string[]): string =>
  [...path.slice(0, -1), recordOfScope(path.at(-1) ?? "")].join("/");

export const runBudgetScope = (pots: BudgetScopes): BudgetScope => {
  const pot = pots[RUN_BUDGET];
  invariant(pot !== undefined, "every body has a budget of its own");
  return pot;
};

/** Who pays for something of that kind in that scope. */
export function payerOf(pots: BudgetScopes, path: readonly string[], kind: BudgetKind): string {
  // The usual case at once: nobody has a pot but the run.
  if (path.length === 0 || pots[RUN_BUDGET]?.inside === 0) return RUN_BUDGET;
  for (let length = path.length; length > 0; length -= 1) {
    const key = potKeyOf(path.slice(0, length));
    if (pots[key]?.total[kind] !== undefined) return key;
  }
  return RUN_BUDGET;
}

export const payer = (pots: BudgetScopes, path: readonly string[], kind: BudgetKind): BudgetScope =>
  pots[payerOf(pots, path, kind)] ?? runBudgetScope(pots);

/** The pot around a child, whatever its kinds. */
function around(pots: BudgetScopes, path: readonly string[]): BudgetScope {
  if (pots[RUN_BUDGET]?.inside === 0) return runBudgetScope(pots);
  for (let length = path.length; length > 0; length -= 1) {
    const pot = pots[potKeyOf(path.slice(0, length))];
    if (pot !== undefined) return pot;
  }
  return runBudgetScope(pots);
}

function reserve(pots: BudgetScopes, key: string, budget: Budget): void {
  if (pots[key] !== undefined) return;
  const { scope } = splitKey(key);
  const pot = newBudgetScope(budget);
  for (const [kind, units] of Object.entries(pot.total) as [BudgetKind, number][])
    payer(pots, scope, kind).reserved[kind] += units;
  around(pots, scope).inside += 1;
  pots[key] = pot;
}

function giveBack(pots: BudgetScopes, key: string): void {
  const pot = pots[key];
  if (pot === undefined) return;
  const { scope } = splitKey(key);
  Reflect.deleteProperty(pots, key);
  around(pots, scope).inside -= 1;
  for (const [kind, units] of Object.entries(pot.total) as [BudgetKind, number][]) {
    const outer = payer(pots, scope, kind);
    outer.reserved[kind] -= units;
    outer.spent[kind] += pot.spent[kind];
  }
}

/** Settles every pot inside those scopes, the innermost first. */
function giveBackInside(pots: BudgetScopes, isInside: (key: string) => boolean): void {
  const keys = Object.keys(pots).filter((key) => key !== RUN_BUDGET && isInside(key));
  const depth = (key: string): number => key.split("/").length;
  for (const key of keys.sort((a, b) => depth(b) - depth(a))) giveBack(pots, key);
}

function spend(
  pots: BudgetScopes,
  path: readonly string[],
  amounts: { readonly [Kind in BudgetKind]?: number | undefined },
): void {
  for (const kind of BUDGET_KINDS) {
    const amount = amounts[kind] ?? 0;
    if (amount !== 0) payer(pots, path, kind).spent[kind] += toUnits(kind, amount);
  }
}

function spawned(pots: BudgetScopes, { key, budget, attempt }: EventData<"BodySpawned">): void {
  if (attempt > 1 && runBudgetScope(pots).inside > 0) giveBackInside(pots, insideChild(key));
  if (budget !== undefined) reserve(pots, key, budget);
}

function childEnded(pots: BudgetScopes, { key }: EventData<"BodyChildEnded">): void {
  const own = pots[key];
  if ((own ?? around(pots, splitKey(key).scope)).inside > 0) giveBackInside(pots, insideChild(key));
  giveBack(pots, key);
}

function looped(pots: BudgetScopes, { key, i }: EventData<"BodyLooped">): void {
  const { scope } = splitKey(key);
  spend(pots, scope, { iterations: 1 });
  if (around(pots, scope).inside === 0) return;
  giveBackInside(pots, insideIteration(key, i));
}

const giveAllBack = (pots: BudgetScopes): void => {
  giveBackInside(pots, () => true);
};

type Moves = { readonly [Type in EventType]?: (pots: BudgetScopes, data: EventData<Type>) => void };
const MOVES: Moves = {
  BodySpent: (pots, data) => {
    spend(pots, partsOf(data.scope), data);
  },
  BodyLooped: looped,
  BodySpawned: spawned,
  BodyChildEnded: childEnded,
  BodyBudgetSet: (pots, { budget }) => {
    runBudgetScope(pots).total = unitsOf(budget);
  },
  RunCompleted: giveAllBack,
  RunFailed: giveAllBack,
  RunCancelled: giveAllBack,
};

/** A map, and no object: the machine would expect the type it saw last, and be slow anew at the end of every run. */
const MOVE_BY_TYPE = new Map(
  Object.entries(MOVES) as [EventType, (pots: BudgetScopes, data: unknown) => void][],
);

/** Moves the pots by one event; events that concern no budget leave them alone. */
export function moveBudgetScopes(pots: BudgetScopes, event: RunEvent): void {
  MOVE_BY_TYPE.get(event.type)?.(pots, event.data);
}
