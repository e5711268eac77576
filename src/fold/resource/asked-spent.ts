import type { RunState } from "../../model/state/run-state.ts";
import type { UsageCount } from "../../model/agent/usage-count.ts";
import { spendToday, turnDay } from "./spent-today.ts";

/** What a reviewer, or an agent that is asked about another, has used. */
export interface AskedSpent {
  usd: number;
  tokens: number;
  /** By which pieces and totals it is known. */
  used?: UsageCount;
}

/** It is the run's, whatever it is worth. */
export function spendAsked(state: RunState, { usd, tokens }: Readonly<AskedSpent>, at: number): void {
  turnDay(state, at);
  spendToday(state, { usd, tokens });
  state.spent.usd += usd;
  state.spent.tokens += tokens;
}
