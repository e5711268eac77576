import type { Signal, UsageSignal } from "../../model/agent/signals.ts";

export const cut = (text: string, chars = 160): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= chars ? line : `${line.slice(0, chars - 1)}…`;
};

export function describeSignals(signals: readonly Signal[]): string {
  const last = signals.at(-1);
  if (last === undefined) return "nothing";
  const more = signals.length > 1 ? ` (and ${String(signals.length - 1)} before it)` : "";
  return `${describeSignal(last)}${more}`;
}

export function describeSignal(signal: Signal): string {
  switch (signal.kind) {
    case "ready":
      return "ready";
    case "tool_call":
      return `calls ${signal.name} ${cut(signal.args ?? "", 80)}`.trimEnd();
    case "tool_result":
      return `result of ${signal.name ?? "a tool"}: ${signal.ok ? "ok" : "error"} ${cut(signal.text ?? "", 80)}`.trimEnd();
    case "message":
      return `${signal.from === "agent" ? "says" : signal.from}: ${cut(signal.text)}`;
    case "usage":
      return usageText(signal);
    case "conversation":
      return `its conversation is ${cut(signal.id)}`;
    case "context":
      return `context ${String(Math.round(signal.usedPct))} % full`;
    case "permission":
      return `asks for permission: ${cut(signal.what)}`;
    case "question":
      return `asks: ${cut(signal.text)}`;
    case "condensed":
      return "made its conversation shorter";
    case "speaking":
      return "is answering";
    case "answered":
      return "its question is answered";
    case "rate_limit":
      return `is rate-limited: ${cut(signal.text)}`;
    case "error":
      return `error: ${cut(signal.text)}`;
    case "blocked":
      return `cannot go on (${signal.reason}): ${cut(signal.text)}`;
    case "progress":
      return `progress: ${cut(signal.text)}`;
    case "result":
      return `claims ${signal.ok ? "success" : "failure"}: ${cut(signal.text)}`;
    case "exit":
      return signal.how === "code"
        ? `exit code ${String(signal.code)}`
        : `ended by ${signal.signal ?? signal.how}`;
    case "unknown":
      return `prints: ${cut(signal.text)}`;
  }
}

/** `used 1200 tokens`, or of a whole session so far `has used 1200 tokens, 0.03 USD`. */
function usageText(signal: UsageSignal): string {
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
