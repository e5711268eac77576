import { spentOfText } from "../../decide/budget/amount-text.ts";
import { dayEndsAt, dayOf } from "../../model/text/utc-day.ts";
import type { DaySpent, StoreStop } from "../../model/host/store-resource.ts";
import { commandText } from "../../model/text/command-text.ts";
import { isoTime } from "../../model/text/iso-time.ts";

/** How the store stands for all its runs, where that keeps them from working. */
export interface StoreView {
  readonly state: "stopped" | "day_spent";
  /** Who stopped it; null where its budget of the day did. */
  readonly by: string | null;
  readonly since: string | null;
  /** When it continues by itself; null where somebody has to start it. */
  readonly until: string | null;
  readonly text: string;
  readonly command: string;
}

/** Null where nothing of the store keeps runs from working. */
export function storeView(
  { stop, day }: { readonly stop: StoreStop | null; readonly day: DaySpent | null },
  store: string | null,
  now: number,
): StoreView | null {
  if (stop !== null && stop.startedAt === null) {
    const command = commandText(["start"], store);
    const text = `${stopText(stop)}; continue with ${command}`;
    return { state: "stopped", by: stop.by, since: isoTime(stop.at), until: null, text, command };
  }
  const raise = day === null || day.day !== dayOf(now) ? [] : raised(day);
  if (day === null || raise.length === 0) return null;
  const command = commandText(["set", "--all", ...raise], store);
  const until = isoTime(dayEndsAt(now));
  const text = `${dayText(day)}: sessions of all runs are suspended until ${until}; raise it with ${command}`;
  return { state: "day_spent", by: null, since: null, until, text, command };
}

/** The words that give twice what is spent. */
const raised = ({ budget, usd, tokens }: DaySpent): string[] => [
  ...(usd >= (budget.usd ?? Infinity) ? [`budget.day.usd=${String(Math.ceil(usd * 2))}`] : []),
  ...(tokens >= (budget.tokens ?? Infinity) ? [`budget.day.tokens=${String(Math.ceil(tokens * 2))}`] : []),
];

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

/** How the store stands, as a run receives it. */
export function storeText(stop: StoreStop | null, day: DaySpent | null): string {
  const stops = stop === null ? [] : [stop.startedAt === null ? stopText(stop) : "the store is started"];
  return [...stops, ...(day === null ? [] : [dayText(day)])].join("; ") || "the store is started";
}
