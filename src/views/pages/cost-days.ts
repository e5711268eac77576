import { dayOf } from "../../model/text/utc-day.ts";
import type { DayUsed } from "../../model/host/store-resource.ts";
import type { RunState } from "../../model/state/run-state.ts";

export interface CostDay extends DayUsed {
  /** How many runs used something on that day. */
  readonly runs: number;
}

const DAY_MS = 86_400_000;

/** What a run has used, by days (UTC). */
export const daysOf = ({ days, today }: Pick<RunState, "days" | "today">): readonly DayUsed[] =>
  today.usd > 0 || today.tokens > 0
    ? [...days, { day: today.day, usd: today.usd, tokens: today.tokens }]
    : days;

/** The last `count` days up to now, each with what all runs have used; days without anything are there with zeros. */
export function costDays(runs: Iterable<readonly DayUsed[]>, now: number, count: number): CostDay[] {
  const sums = new Map<string, { usd: number; tokens: number; runs: number }>();
  for (let back = count - 1; back >= 0; back -= 1)
    sums.set(dayOf(now - back * DAY_MS), { usd: 0, tokens: 0, runs: 0 });
  for (const days of runs)
    for (const { day, usd, tokens } of days) {
      const sum = sums.get(day);
      if (sum === undefined) continue;
      sum.usd += usd;
      sum.tokens += tokens;
      sum.runs += 1;
    }
  return [...sums].map(([day, sum]) => ({ day, ...sum }));
}
