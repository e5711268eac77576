import { z } from "zod";

/** Ceilings of a run; an absent one is unlimited. */
export const budgetSchema = z.strictObject({
  usd: z.number().positive().optional(),
  tokens: z.number().int().positive().optional(),
  iterations: z.number().int().positive().optional(),
  timeMs: z.number().int().positive().optional(),
});
export type Budget = z.infer<typeof budgetSchema>;

/** What agents use up: money, tokens, answers of a model, and time at work. */
export const SPENT_KINDS = ["usd", "tokens", "turns", "timeMs"] as const;
export type SpentKind = (typeof SPENT_KINDS)[number];
export type Spent = Record<SpentKind, number>;

export const nothingSpent = (): Spent => ({ usd: 0, tokens: 0, turns: 0, timeMs: 0 });

const ON_EXCEED = ["stop", "warn"] as const;

/** Ceilings of a run of agents or of one of its steps. */
export const agentBudgetSchema = budgetSchema.extend({
  turns: z.number().int().positive().optional().describe("answers of a model"),
  onExceed: z
    .enum(ON_EXCEED)
    .describe("stop: sessions are suspended when it is spent (default); warn: people are only notified")
    .optional(),
  warnPct: z
    .number()
    .int()
    .min(1)
    .max(100)
    .describe("people are notified when so much is spent; default: 80")
    .optional(),
  graceMs: z
    .number()
    .int()
    .min(0)
    .max(86_400_000)
    .describe("so long a turn may go on after the budget is spent; default: 120000")
    .optional(),
  gracePct: z
    .number()
    .min(0)
    .max(100)
    .describe("and so much of the budget, or one request where that is more, may be overshot; default: 5")
    .optional(),
  uncounted: z
    .enum(["refuse", "allow"])
    .describe("refuse: what cannot be counted is not started, or stopped (default); allow: it works on")
    .optional(),
});
export type AgentBudget = z.infer<typeof agentBudgetSchema>;

/** What a budget does where it names nothing else. */
export const BUDGET_DEFAULTS = { warnPct: 80, graceMs: 120_000, gracePct: 5 } as const;

/** What an agent's answers are counted as, no matter what the budget calls them. */
export const ceilingOf = (budget: AgentBudget | undefined, kind: SpentKind): number | undefined =>
  kind === "turns" ? (budget?.turns ?? budget?.iterations) : budget?.[kind];

/** What a budget is counted in. */
export const BUDGET_KINDS = ["tokens", "usd", "iterations", "timeMs"] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

/** Whole numbers only, so that sums are exact; money is counted in billionths of a dollar. */
type Amounts = Record<BudgetKind, number>;

/**
 * What a run or a child may use up. What is free is not stored: it is the total without what is reserved and spent, so
 * total = free + reserved + spent by construction. A budget scope that was overdrawn by its last step has a negative
 * free part.
 */
export interface BudgetScope {
  /** A kind that is absent is not limited here. */
  total: Partial<Amounts>;
  reserved: Amounts;
  spent: Amounts;
  /** How many budget scopes lie directly inside this one. */
  inside: number;
}

/** By the key of the child that owns it; the run's own budget scope is under the empty key and always there. */
export type BudgetScopes = Record<string, BudgetScope>;
export const RUN_BUDGET = "";

const UNITS: Amounts = { tokens: 1, usd: 1_000_000_000, iterations: 1, timeMs: 1 };

/** A part of a token counts as a whole one; money is rounded to the billionth. */
export const toUnits = (kind: BudgetKind, value: number): number =>
  kind === "usd" ? Math.round(value * UNITS.usd) : Math.ceil(value);
export const fromUnits = (kind: BudgetKind, units: number): number => units / UNITS[kind];

const noAmounts = (): Amounts => ({ tokens: 0, usd: 0, iterations: 0, timeMs: 0 });

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
