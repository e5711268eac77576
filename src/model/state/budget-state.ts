import type { Spent } from "../requests/budget.ts";
import type { DayUsed, SpentToday } from "../host/store-resource.ts";

/** What a run has used up, and what was said of its budgets. */
export interface BudgetState {
  /** Totals over all attempts; time of those that have ended. */
  spent: Spent;
  /** What the dearest attempt that has ended has cost. */
  dearest: Spent;
  /** What was reported about budgets, by kind, or by step and kind. */
  pressed: Record<string, "near" | "spent">;
  /** Since when a budget is known to be spent, by the same keys. */
  overAt: Record<string, number>;
  today: SpentToday;
  /** What it has used on earlier days on which it used something, oldest first; the last of them. */
  days: DayUsed[];
}
