import { spentOfText } from "../../decide/budget/amount-text.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { DaySpent, StoreStop } from "../../model/host/store-resource.ts";

/** `stopped by ada since 2026-11-17T02:00:00.000Z: nothing starts`. */
export const stopText = ({ by, at }: StoreStop): string =>
  `the store is stopped by ${by} since ${isoTime(at)}: every session is suspended and nothing starts`;

/** `$50.10 of $50.00`, of what is limited. */
export function dayText({ budget, usd, tokens, day }: DaySpent): string {
  const parts = [
    ...(budget.usd === undefined ? [] : [spentOfText("usd", usd, budget.usd)]),
    ...(budget.tokens === undefined ? [] : [spentOfText("tokens", tokens, budget.tokens)]),
  ];
  return `budget of the day ${day} (UTC): ${parts.join(", ") || "none"}`;
}

/** How the store stands, as a run hears it. */
export function storeText(stop: StoreStop | null, day: DaySpent | null): string {
  const stops = stop === null ? [] : [stop.startedAt === null ? stopText(stop) : "the store is started"];
  return [...stops, ...(day === null ? [] : [dayText(day)])].join("; ") || "the store is started";
}
