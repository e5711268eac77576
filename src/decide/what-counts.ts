import { CAPABILITIES, type Counts } from "../model/agent-kinds.ts";
import type { AgentSpec } from "../model/flow.ts";
import { priceOf, type Prices } from "../model/prices.ts";

/** What can be counted of an agent with these prices: money of a model without a price is not, or only at the end. */
export function countsOf(spec: AgentSpec, prices: Prices): Counts {
  const { counts } = CAPABILITIES[spec.use];
  if (
    counts.usdBy !== "prices" ||
    spec.use === "acp" ||
    spec.model === undefined ||
    priceOf(prices, spec.model) !== undefined
  )
    return counts;
  return { ...counts, usd: spec.use === "claude" ? "end" : "none" };
}
