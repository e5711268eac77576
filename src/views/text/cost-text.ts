import type { RunState } from "../../model/state/run-state.ts";

/** Less than this of a dollar is what adding and taking back leaves over. */
const DUST = 1e-9;

/** Money as people read it: to the cent, and finer where a cent would show nothing. */
export const dollars = (usd: number): string => `$${usd > 0 && usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;

/** Where money is not what agents report, how it is known; null where it is. */
export function costText({ spent, counted }: Pick<RunState, "spent" | "counted">): string | null {
  const isPriced = counted.pricedUsd > DUST;
  const unpriced = Math.round(counted.unpricedTokens);
  const priced =
    counted.pricedUsd >= spent.usd - DUST
      ? "priced from tokens"
      : `of which ${dollars(counted.pricedUsd)} is priced from tokens`;
  const parts = [
    ...(isPriced ? [`about ${dollars(spent.usd)}, ${priced}`] : []),
    ...(unpriced > 0 ? [`${String(unpriced)} tokens of a model without a price: name it under prices`] : []),
  ];
  return parts.length === 0 ? null : parts.join("; ");
}
