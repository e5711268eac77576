/**
 * The arithmetic of budgets: who pays, what is reserved, what comes back. Pots are moved by events alone, so the pots
 * folded from a journal are those that were lived.
 *
 * 1. total = free + reserved + spent, in every pot and for every kind, at every instant.
 * 2. What is spent inside a child with a pot of its own is the pot's, until the child is settled; then it is spent by
 *    the pot around it, and the whole reservation goes back. A child that overdrew costs what it used, not what it had.
 * 3. A kind that a pot does not limit is paid by the nearest pot around it that does, and at last by the run's.
 */
import { insideChild, insideIteration, recordOfScope, splitKey } from "../model/body-key.ts";
import {
  BUDGET_KINDS,
  RUN_POT,
  fromUnits,
  newPot,
  toUnits,
  unitsOf,
  type BudgetKind,
  type Pot,
  type Pots,
} from "../model/budget-pots.ts";
import type { EventData, EventType, RunEvent } from "../model/events.ts";
import { promise } from "../model/fault.ts";
import type { Budget } from "../model/budget.ts";

const partsOf = (scope: string): readonly string[] => (scope === "" ? [] : scope.split("/"));

/** The key of the pot that the scope itself would have. */
const potKeyOf = (path: readonly string[]): string =>
  [...path.slice(0, -1), recordOfScope(path.at(-1) ?? "")].join("/");

const runPot = (pots: Pots): Pot => {
  const pot = pots[RUN_POT];
  promise(pot !== undefined, "every body has a budget of its own");
  return pot;
};

/** Who pays for something of that kind in that scope. */
export function payerOf(pots: Pots, path: readonly string[], kind: BudgetKind): string {
  // The usual case at once: nobody has a pot but the run.
  if (path.length === 0 || pots[RUN_POT]?.inside === 0) return RUN_POT;
  for (let length = path.length; length > 0; length -= 1) {
    const key = potKeyOf(path.slice(0, length));
    if (pots[key]?.total[kind] !== undefined) return key;
  }
  return RUN_POT;
}

const payer = (pots: Pots, path: readonly string[], kind: BudgetKind): Pot =>
  pots[payerOf(pots, path, kind)] ?? runPot(pots);

/** What is free of a limited kind, in units; negative by what was spent beyond. Undefined: not limited. */
export function freeOf(pot: Pot, kind: BudgetKind): number | undefined {
  const total = pot.total[kind];
  return total === undefined ? undefined : total - pot.reserved[kind] - pot.spent[kind];
}

/** The pot around a child, whatever its kinds. */
function around(pots: Pots, path: readonly string[]): Pot {
  if (pots[RUN_POT]?.inside === 0) return runPot(pots);
  for (let length = path.length; length > 0; length -= 1) {
    const pot = pots[potKeyOf(path.slice(0, length))];
    if (pot !== undefined) return pot;
  }
  return runPot(pots);
}

export interface Shortage {
  readonly kind: BudgetKind;
  readonly wanted: number;
  readonly free: number;
}

/** The first kind of which the scope cannot reserve that much, or null. */
export function shortageOf(pots: Pots, path: readonly string[], budget: Budget): Shortage | null {
  for (const [kind, units] of Object.entries(unitsOf(budget)) as [BudgetKind, number][]) {
    const free = freeOf(payer(pots, path, kind), kind);
    if (free !== undefined && units > free)
      return { kind, wanted: fromUnits(kind, units), free: fromUnits(kind, Math.max(0, free)) };
  }
  return null;
}

function reserve(pots: Pots, key: string, budget: Budget): void {
  if (pots[key] !== undefined) return;
  const { scope } = splitKey(key);
  const pot = newPot(budget);
  for (const [kind, units] of Object.entries(pot.total) as [BudgetKind, number][])
    payer(pots, scope, kind).reserved[kind] += units;
  around(pots, scope).inside += 1;
  pots[key] = pot;
}

function giveBack(pots: Pots, key: string): void {
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
function giveBackInside(pots: Pots, isInside: (key: string) => boolean): void {
  const keys = Object.keys(pots).filter((key) => key !== RUN_POT && isInside(key));
  const depth = (key: string): number => key.split("/").length;
  for (const key of keys.sort((a, b) => depth(b) - depth(a))) giveBack(pots, key);
}

type Spent = { readonly [Kind in BudgetKind]?: number | undefined };

function spend(pots: Pots, path: readonly string[], amounts: Spent): void {
  for (const kind of BUDGET_KINDS) {
    const amount = amounts[kind] ?? 0;
    if (amount !== 0) payer(pots, path, kind).spent[kind] += toUnits(kind, amount);
  }
}

function spawned(pots: Pots, { key, budget, attempt }: EventData<"BodySpawned">): void {
  if (attempt > 1 && runPot(pots).inside > 0) giveBackInside(pots, insideChild(key));
  if (budget !== undefined) reserve(pots, key, budget);
}

function childEnded(pots: Pots, { key }: EventData<"BodyChildEnded">): void {
  const own = pots[key];
  if ((own ?? around(pots, splitKey(key).scope)).inside > 0) giveBackInside(pots, insideChild(key));
  giveBack(pots, key);
}

function looped(pots: Pots, { key, i }: EventData<"BodyLooped">): void {
  const { scope } = splitKey(key);
  spend(pots, scope, { iterations: 1 });
  if (around(pots, scope).inside === 0) return;
  giveBackInside(pots, insideIteration(key, i));
}

const giveAllBack = (pots: Pots): void => {
  giveBackInside(pots, () => true);
};

type Moves = { readonly [Type in EventType]?: (pots: Pots, data: EventData<Type>) => void };
const MOVES: Moves = {
  BodySpent: (pots, data) => {
    spend(pots, partsOf(data.scope), data);
  },
  BodyLooped: looped,
  BodySpawned: spawned,
  BodyChildEnded: childEnded,
  BodyBudgetSet: (pots, { budget }) => {
    runPot(pots).total = unitsOf(budget);
  },
  RunCompleted: giveAllBack,
  RunFailed: giveAllBack,
  RunCancelled: giveAllBack,
};

/** A map, and no object: the machine would expect the type it saw last, and be slow anew at the end of every run. */
const MOVE_BY_TYPE = new Map(Object.entries(MOVES) as [EventType, (pots: Pots, data: unknown) => void][]);

/** Moves the pots by one event; events that concern no budget leave them alone. */
export function movePots(pots: Pots, event: RunEvent): void {
  MOVE_BY_TYPE.get(event.type)?.(pots, event.data);
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
  pots: Pots,
  path: readonly string[],
  kinds: readonly BudgetKind[],
  running: (key: string) => number = () => 0,
): Exhausted | null {
  for (const kind of kinds) {
    const key = payerOf(pots, path, kind);
    const pot = pots[key] ?? runPot(pots);
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
  pots: Pots,
  path: readonly string[],
  running: (key: string) => number = () => 0,
): BudgetView {
  const view = { total: {}, free: {}, reserved: {}, spent: {} } as Record<keyof BudgetView, Budget>;
  for (const kind of BUDGET_KINDS) {
    const key = payerOf(pots, path, kind);
    const pot = pots[key] ?? runPot(pots);
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
export function enoughForBody(pots: Pots): string[] {
  const pot = runPot(pots);
  return BUDGET_KINDS.filter((kind) => (freeOf(pot, kind) ?? 1) <= 0).map((kind) => {
    const used = pot.spent[kind] + pot.reserved[kind];
    const enough = Math.ceil(fromUnits(kind, Math.max(used, pot.total[kind] ?? 0)) * 2);
    return kind === "timeMs" ? `budget.time=${String(enough)}ms` : `budget.${kind}=${String(enough)}`;
  });
}
