import type { AskedSpent } from "../../fold/resource/spent-today.ts";
import { BUDGET_DEFAULTS, ceilingOf, type SpentKind } from "../../model/requests/budget.ts";
import { priceOf, type Prices, usdOf } from "../../model/settings/prices.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { UsageSignal } from "../../model/agent/signals.ts";
import { addUsage, nothingUsed } from "../../model/agent/usage-count.ts";
import { spentOfRun } from "../budget/run-budget.ts";

/** Counts as it is counted of attempts: the agent's own total wins, then its own amounts, then the price of its model. */
export function countAsked(
  spent: AskedSpent,
  signal: UsageSignal,
  { prices = {}, model }: { readonly prices?: Prices | undefined; readonly model?: string | undefined },
): void {
  spent.used ??= nothingUsed();
  const added = addUsage(spent.used, signal);
  spent.tokens += added.tokensIn + added.tokensOut;
  if (signal.usdTotal !== undefined) spent.usd = signal.usdTotal;
  else if (signal.usd !== undefined) spent.usd += signal.usd;
  else {
    const price = priceOf(prices, spent.used.model ?? model);
    if (price !== undefined) spent.usd += usdOf(price, added);
  }
}

/** What is left of the run's budget for one who is asked, its grace included: beyond that its session is ended. */
export function askedBounds(
  state: RunState,
  own: { readonly usd: number; readonly limitMs: number },
  now: number,
): { readonly usd: number; readonly limitMs: number; readonly tokens?: number } {
  const tokens = leftOf(state, "tokens", now);
  return {
    usd: Math.min(own.usd, leftOf(state, "usd", now)),
    limitMs: Math.max(1, Math.round(Math.min(own.limitMs, leftOf(state, "timeMs", now)))),
    ...(tokens === Infinity ? {} : { tokens }),
  };
}

function leftOf(state: RunState, kind: SpentKind, now: number): number {
  const { budget } = state;
  const ceiling = budget.onExceed === "warn" ? undefined : ceilingOf(budget, kind);
  if (ceiling === undefined) return Infinity;
  const grace = (ceiling * (budget.gracePct ?? BUDGET_DEFAULTS.gracePct)) / 100;
  return Math.max(0, ceiling + grace - spentOfRun(state, now)[kind]);
}

/** The rows of the table that may be needed: one where the model is known. */
export function pricesFor(prices: Prices, model: string | undefined): { readonly prices?: Prices } {
  if (model === undefined) return { prices };
  const price = priceOf(prices, model);
  return price === undefined ? {} : { prices: { [model]: price } };
}
