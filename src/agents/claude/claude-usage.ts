import type { Signal } from "../../model/signals.ts";
import { at, numberAt, textAt, valuesAt, type Json } from "../headless/json-fields.ts";

/**
 * Counts as it goes, so that a budget can bite while a run goes wrong: each answer's tokens when it comes, and at the
 * end what the total has more, and the money.
 */
export interface ClaudeUsage {
  model(name: string | undefined): void;
  message(event: Json): readonly Signal[];
  result(event: Json): readonly Signal[];
}

const WINDOW_TOKENS = 200_000;
const LONG_WINDOW_TOKENS = 1_000_000;

export function claudeUsage(): ClaudeUsage {
  const told = { in: 0, out: 0 };
  let counted: string | undefined;
  let window = WINDOW_TOKENS;
  return {
    model: (name) => {
      window = name?.endsWith("[1m]") === true ? LONG_WINDOW_TOKENS : WINDOW_TOKENS;
    },
    message: (event) => {
      const id = textAt(event, "message", "id");
      // Each block of an answer comes on a line of its own, with the count of the whole.
      if (id === undefined || id === counted) return [];
      counted = id;
      const tokensIn = inputTokens(at(event, "message", "usage"));
      const tokensOut = numberAt(event, "message", "usage", "output_tokens") ?? 0;
      if (tokensIn === 0) return [];
      told.in += tokensIn;
      told.out += tokensOut;
      const usedPct = Math.min(100, Math.round((tokensIn / window) * 1_000) / 10);
      return [
        { kind: "usage", tokensIn, tokensOut },
        { kind: "context", usedPct },
      ];
    },
    result: (event) => {
      const total = totalOf(event);
      const usd = numberAt(event, "total_cost_usd");
      const tokensIn = Math.max(0, total.in - told.in);
      const tokensOut = Math.max(0, total.out - told.out);
      if (tokensIn + tokensOut + (usd ?? 0) === 0) return [];
      return [{ kind: "usage", tokensIn, tokensOut, ...(usd === undefined ? {} : { usd }) }];
    },
  };
}

const inputTokens = (usage: unknown): number =>
  (numberAt(usage, "input_tokens") ?? 0) +
  (numberAt(usage, "cache_creation_input_tokens") ?? 0) +
  (numberAt(usage, "cache_read_input_tokens") ?? 0);

/** By model where it is told so: that counts its helpers in. */
function totalOf(event: Json): { in: number; out: number } {
  const models = valuesAt(event, "modelUsage");
  const sum = (name: string): number =>
    models.reduce<number>((total, model) => total + (numberAt(model, name) ?? 0), 0);
  if (models.length > 0)
    return {
      in: sum("inputTokens") + sum("cacheReadInputTokens") + sum("cacheCreationInputTokens"),
      out: sum("outputTokens"),
    };
  return {
    in: inputTokens(at(event, "usage")),
    out: numberAt(event, "usage", "output_tokens") ?? 0,
  };
}
