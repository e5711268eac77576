import type { UsageCount } from "../../model/agent/usage-count.ts";
import { dayOf } from "../../model/text/utc-day.ts";
import type { DayUsed, SpentToday } from "../../model/host/store-resource.ts";
import type { Spent } from "../../model/requests/budget.ts";
import type { RunState } from "../../model/state/run-state.ts";

export const newDay = (at: number): SpentToday => ({
  day: dayOf(at),
  usd: 0,
  tokens: 0,
  reported: { usd: 0, tokens: 0 },
  arrived: { usd: 0, tokens: 0 },
  reportedAt: at,
});

/** Days that are remembered (I7). */
const DAYS_MAX = 62;

/** Before anything is spent at that instant: what was spent before midnight is of another day. */
export function turnDay(state: RunState, at: number): void {
  const { day, usd, tokens } = state.today;
  if (day === dayOf(at)) return;
  if (usd > 0 || tokens > 0) state.days = [...state.days, { day, usd, tokens }].slice(-DAYS_MAX);
  state.today = newDay(at);
}

export function spendToday({ today }: RunState, { usd = 0, tokens = 0 }: Partial<Spent>): void {
  today.usd += usd;
  today.tokens += tokens;
}

/** A report was intended: the same is not reported again. */
export function noteReport({ today }: RunState, used: DayUsed | undefined, at: number): void {
  today.reportedAt = at;
  if (used?.day !== today.day) return;
  today.reported = { usd: today.reported.usd + used.usd, tokens: today.reported.tokens + used.tokens };
}

/** What arrived is in the news of the store from now on; what did not is reported again. */
export function settleReport({ today }: RunState, used: DayUsed | undefined, hasArrived: boolean): void {
  if (used?.day !== today.day) return;
  if (hasArrived)
    today.arrived = { usd: today.arrived.usd + used.usd, tokens: today.arrived.tokens + used.tokens };
  else today.reported = { usd: today.reported.usd - used.usd, tokens: today.reported.tokens - used.tokens };
}

/** What a reviewer, or an agent that is asked about another, has used. */
export interface AskedSpent {
  usd: number;
  tokens: number;
  /** By which pieces and totals it is known. */
  used?: UsageCount;
}

/** It is the run's, no matter what it is worth. */
export function spendAsked(state: RunState, { usd, tokens }: Readonly<AskedSpent>, at: number): void {
  turnDay(state, at);
  spendToday(state, { usd, tokens });
  state.spent.usd += usd;
  state.spent.tokens += tokens;
}
