import { SPENT_KINDS, type Spent } from "../model/budget.ts";
import { priceOf, usdOf } from "../model/prices.ts";
import type { AttemptState, RunState } from "../model/run-state.ts";
import type { UsageSignal } from "../model/signals.ts";
import { spendToday } from "./spent-today.ts";

/** What was used is the attempt's, its step's and the run's. */
export function spend(state: RunState, attempt: AttemptState, used: Partial<Spent>): void {
  const step = state.steps[attempt.step];
  spendToday(state, used);
  for (const of of [attempt.spent, state.spent, ...(step === undefined ? [] : [step.spent])])
    for (const kind of SPENT_KINDS) of[kind] += used[kind] ?? 0;
}

/**
 * All that an agent says and does before it hears something again is one answer of its model. Where its driver counts
 * the requests themselves, that count stands instead.
 */
export function takeTurn(state: RunState, attempt: AttemptState): void {
  if (!attempt.inTurn && attempt.counted.requests === null) spend(state, attempt, { turns: 1 });
  attempt.inTurn = true;
}

export function countUsage(state: RunState, attempt: AttemptState, signal: UsageSignal): void {
  spend(state, attempt, { tokens: (signal.tokensIn ?? 0) + (signal.tokensOut ?? 0) });
  countMoney(state, attempt, signal);
  if (signal.requests !== undefined) countRequests(state, attempt, signal.requests);
}

/** From the first count on turns are what the driver counts: what was guessed before is taken back. */
function countRequests(state: RunState, attempt: AttemptState, requests: number): void {
  const { counted, spent } = attempt;
  if (counted.requests === null) spend(state, attempt, { turns: -spent.turns });
  counted.requests = (counted.requests ?? 0) + requests;
  spend(state, attempt, { turns: requests });
}

/** Money as the agent reports it, else by the price of its model; what has no price is kept count of. */
function countMoney(state: RunState, attempt: AttemptState, signal: UsageSignal): void {
  if (signal.usdTotal !== undefined) return settle(state, attempt, signal.usdTotal);
  if (signal.usd !== undefined) return spend(state, attempt, { usd: signal.usd });
  const tokens = (signal.tokensIn ?? 0) + (signal.tokensOut ?? 0);
  const price = priceOf(state.settings.prices, signal.model ?? state.agents[attempt.agent]?.model);
  if (price === undefined) return note(state, attempt, { pricedUsd: 0, unpricedTokens: tokens });
  const usd = usdOf(price, signal);
  spend(state, attempt, { usd });
  note(state, attempt, { pricedUsd: usd, unpricedTokens: 0 });
}

/** The agent's own count of its whole session is better than ours. */
function settle(state: RunState, attempt: AttemptState, usdTotal: number): void {
  spend(state, attempt, { usd: usdTotal - attempt.spent.usd });
  const { pricedUsd, unpricedTokens } = attempt.counted;
  note(state, attempt, { pricedUsd: -pricedUsd, unpricedTokens: -unpricedTokens });
}

function note(state: RunState, attempt: AttemptState, by: RunState["counted"]): void {
  for (const counted of [attempt.counted, state.counted]) {
    counted.pricedUsd += by.pricedUsd;
    counted.unpricedTokens += by.unpricedTokens;
  }
}
