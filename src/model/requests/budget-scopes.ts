import type { Budget } from "./budget.ts";

/** What a budget is counted in. */
export const BUDGET_KINDS = ["tokens", "usd", "iterations", "timeMs"] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

/** Whole numbers only, so that sums are exact; money is counted in billionths of a dollar. */
export type Amounts = Record<BudgetKind, number>;

/**
 * What a run or a child may use up. What is free is not stored: it is the total without what is reserved and spent, so
 * total = free + reserved + spent by construction. A pot that was overdrawn by its last step has a negative free part.
 */
export interface BudgetScope {
  /** A kind that is absent is not limited here. */
  total: Partial<Amounts>;
  reserved: Amounts;
  spent: Amounts;
  /** How many pots lie directly inside this one. */
  inside: number;
}

/** By the key of the child that owns it; the run's own pot is under the empty key and always there. */
export type BudgetScopes = Record<string, BudgetScope>;
export const RUN_BUDGET = "";

const UNITS: Amounts = { tokens: 1, usd: 1_000_000_000, iterations: 1, timeMs: 1 };

/** A part of a token counts as a whole one; money is rounded to the billionth. */
export const toUnits = (kind: BudgetKind, value: number): number =>
  kind === "usd" ? Math.round(value * UNITS.usd) : Math.ceil(value);
export const fromUnits = (kind: BudgetKind, units: number): number => units / UNITS[kind];

export const noAmounts = (): Amounts => ({ tokens: 0, usd: 0, iterations: 0, timeMs: 0 });

export function unitsOf(budget: Budget): Partial<Amounts> {
  const units: Partial<Amounts> = {};
  for (const kind of BUDGET_KINDS) {
    const value = budget[kind];
    if (value !== undefined) units[kind] = toUnits(kind, value);
  }
  return units;
}

export const newBudgetScope = (budget: Budget): BudgetScope => ({
  total: unitsOf(budget),
  reserved: noAmounts(),
  spent: noAmounts(),
  inside: 0,
});
