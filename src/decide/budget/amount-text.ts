import type { SpentKind } from "../../model/requests/budget.ts";
import { durationText } from "../../model/text/duration.ts";

const CENTS = 100;
const FINE = 10_000;

/** Two digits after the point, and four where two would show another amount of a few cents. */
function moneyText(usd: number): string {
  const isFine = Math.abs(usd) < 0.1 && Math.round(usd * FINE) % (FINE / CENTS) !== 0;
  return `${usd < 0 ? "-" : ""}$${grouped(Math.abs(usd).toFixed(isFine ? 4 : 2))}`;
}

/** Thousands apart, up to the point. */
function grouped(digits: string): string {
  if (digits.includes("e")) return digits;
  const point = digits.indexOf(".");
  const whole = point === -1 ? digits : digits.slice(0, point);
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  return groups.join(",").replace("-,", "-") + digits.slice(whole.length);
}

const countText = (amount: number): string => grouped(String(Math.round(amount * 1e6) / 1e6));

/** An amount of a budget as people read it: `$0.50`, `100,000`, `2h`. */
export function amountText(kind: SpentKind, amount: number): string {
  if (kind === "usd") return moneyText(amount);
  return kind === "timeMs" ? durationText(amount) : countText(amount);
}

/** What follows an amount that does not name its unit itself. */
const unitText = (kind: SpentKind): string => (kind === "tokens" || kind === "turns" ? ` ${kind}` : "");

/** `$0.53 of $0.50`, `105,000 of 100,000 tokens`, `12m of 10m`. */
export const spentOfText = (kind: SpentKind, spent: number, ceiling: number): string =>
  `${amountText(kind, spent)} of ${amountText(kind, ceiling)}${unitText(kind)}`;

/** `budget exceeded: $0.53 of $0.50 ($0.03 over)`; a budget that is just used up is reached. */
export function exceededText(kind: SpentKind, spent: number, ceiling: number): string {
  const over = kind === "timeMs" ? Math.floor((spent - ceiling) / 1_000) * 1_000 : spent - ceiling;
  return over > 0
    ? `budget exceeded: ${spentOfText(kind, spent, ceiling)} (${amountText(kind, over)} over)`
    : `budget reached: ${spentOfText(kind, ceiling, ceiling)}`;
}
