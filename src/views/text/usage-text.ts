import type { UsageSignal } from "../../model/agent/signals.ts";

/** `used 1200 tokens`, or of a whole session so far `has used 1200 tokens, 0.03 USD`. */
export function usageText(signal: UsageSignal): string {
  const { tokensIn = 0, tokensOut = 0, tokensInTotal, tokensOutTotal, usd, usdTotal } = signal;
  const isTotal = (tokensInTotal ?? tokensOutTotal ?? usdTotal) !== undefined;
  const tokens = isTotal ? (tokensInTotal ?? 0) + (tokensOutTotal ?? 0) : tokensIn + tokensOut;
  const money = usdTotal ?? usd;
  const parts = [
    ...(tokens === 0 && money !== undefined ? [] : [`${String(tokens)} tokens`]),
    ...(money === undefined ? [] : [`${String(money)} USD`]),
  ];
  return `${isTotal ? "has used" : "used"} ${parts.join(", ")}`;
}
