import type { UsageSignal } from "./signals.ts";

export interface TokenTally {
  tokensIn: number;
  /** The part of `tokensIn` that was read from a cache. */
  cachedIn: number;
  tokensOut: number;
  requests: number;
}

const noTally = (): TokenTally => ({ tokensIn: 0, cachedIn: 0, tokensOut: 0, requests: 0 });

/**
 * What was counted of one session. Pieces are added up, totals are taken where they are more: two witnesses of one
 * session (what it prints, what it writes down) may speak in any order, and nothing is counted twice.
 */
export interface UsageCount {
  readonly sum: TokenTally;
  readonly most: TokenTally;
  /** Whether somebody counts requests to the model. */
  countsRequests: boolean;
  /** The last model that was named. */
  model: string | null;
}

export const nothingUsed = (): UsageCount => ({
  sum: noTally(),
  most: noTally(),
  countsRequests: false,
  model: null,
});

export const usedIn = ({ sum, most }: UsageCount): TokenTally => ({
  tokensIn: Math.max(sum.tokensIn, most.tokensIn),
  cachedIn: Math.max(sum.cachedIn, most.cachedIn),
  tokensOut: Math.max(sum.tokensOut, most.tokensOut),
  requests: Math.max(sum.requests, most.requests),
});

export type AddedTokens = Pick<TokenTally, "tokensIn" | "cachedIn" | "tokensOut">;

/** Counts a signal in, and returns by how much the session has used more. */
export function addUsage(count: UsageCount, signal: UsageSignal): AddedTokens {
  const before = usedIn(count);
  note(count, signal);
  const after = usedIn(count);
  return {
    tokensIn: after.tokensIn - before.tokensIn,
    cachedIn: after.cachedIn - before.cachedIn,
    tokensOut: after.tokensOut - before.tokensOut,
  };
}

function note(count: UsageCount, signal: UsageSignal): void {
  const { sum, most } = count;
  sum.tokensIn += signal.tokensIn ?? 0;
  sum.cachedIn += signal.cachedIn ?? 0;
  sum.tokensOut += signal.tokensOut ?? 0;
  sum.requests += signal.requests ?? 0;
  most.tokensIn = Math.max(most.tokensIn, signal.tokensInTotal ?? 0);
  most.cachedIn = Math.max(most.cachedIn, signal.cachedInTotal ?? 0);
  most.tokensOut = Math.max(most.tokensOut, signal.tokensOutTotal ?? 0);
  most.requests = Math.max(most.requests, signal.requestsTotal ?? 0);
  count.countsRequests ||= (signal.requests ?? signal.requestsTotal) !== undefined;
  count.model = signal.model ?? count.model;
}

/** How what was used is known. */
export interface CountedState {
  /** The part of the money that Holdfast priced from tokens, since the agent has not reported it. */
  pricedUsd: number;
  /** Tokens of models that have no price. */
  unpricedTokens: number;
  readonly used: UsageCount;
}
