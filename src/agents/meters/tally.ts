import type { Signal } from "../../model/agent/signals.ts";

/** What a session has used so far, as its agent has written it down. */
export interface Tally {
  readonly tokensIn: number;
  readonly cachedIn: number;
  readonly tokensOut: number;
  readonly requests: number;
  readonly model?: string | undefined;
  /** How full its context was at the last request. */
  readonly usedPct?: number | undefined;
  readonly usd?: number | undefined;
}

export function tallySignals(tally: Tally): readonly Signal[] {
  const { tokensIn, cachedIn, tokensOut, requests, model, usedPct, usd } = tally;
  return [
    {
      kind: "usage",
      tokensInTotal: tokensIn,
      cachedInTotal: cachedIn,
      tokensOutTotal: tokensOut,
      requestsTotal: requests,
      ...(model === undefined ? {} : { model: model.slice(0, 200) }),
      ...(usd === undefined || usd === 0 ? {} : { usdTotal: usd }),
    },
    ...(usedPct === undefined
      ? []
      : [{ kind: "context" as const, usedPct: Math.min(100, Math.round(usedPct * 10) / 10) }]),
  ];
}
