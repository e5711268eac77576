import type { Signal } from "../../model/agent/signals.ts";
import { at, numberAt, textAt, valuesAt, type Json } from "../headless/json-fields.ts";

/**
 * Counts as it goes, so that a budget can brake while a run goes wrong: each answer when it comes, also of its helpers,
 * as far as it is known then; at the end the totals, and the money by its own count.
 */
export interface ClaudeUsage {
  model(name: string | undefined): void;
  message(event: Json): readonly Signal[];
  result(event: Json): readonly Signal[];
}

const WINDOW_TOKENS = 200_000;
const LONG_WINDOW_TOKENS = 1_000_000;

export function claudeUsage(): ClaudeUsage {
  const counted = new Set<string>();
  let window = WINDOW_TOKENS;
  return {
    model: (name) => {
      window = name?.endsWith("[1m]") === true ? LONG_WINDOW_TOKENS : WINDOW_TOKENS;
    },
    message: (event) => {
      const id = textAt(event, "message", "id");
      // Each block of an answer comes on a line of its own, with the count of the whole.
      if (id === undefined || counted.has(id)) return [];
      counted.add(id);
      if (counted.size > COUNTED_MAX) counted.delete([...counted][0] ?? "");
      const used = at(event, "message", "usage");
      const tokensIn = inputTokens(used);
      if (tokensIn === 0) return [];
      const cachedIn = numberAt(used, "cache_read_input_tokens") ?? 0;
      const tokensOut = numberAt(used, "output_tokens") ?? 0;
      return [
        { kind: "usage", tokensIn, cachedIn, tokensOut, requests: 1, ...named(event) },
        ...(isHelper(event) ? [] : [contextOf(tokensIn, window)]),
      ];
    },
    result: (event) => {
      const total = totalOf(event);
      const usd = numberAt(event, "total_cost_usd") ?? 0;
      if (total.in + total.out + usd === 0) return [];
      return [
        {
          kind: "usage",
          tokensInTotal: total.in,
          cachedInTotal: total.cached,
          tokensOutTotal: total.out,
          ...(usd === 0 ? {} : { usdTotal: usd }),
        },
      ];
    },
  };
}

/** Answers of helpers come between those of the one that called them. */
const COUNTED_MAX = 1_000;

const named = (event: Json): { model?: string } => {
  const model = textAt(event, "message", "model");
  return model === undefined ? {} : { model };
};

/** A helper has a context of its own. */
const isHelper = (event: Json): boolean => textAt(event, "parent_tool_use_id") !== undefined;

const contextOf = (tokensIn: number, window: number): Signal => ({
  kind: "context",
  usedPct: Math.min(100, Math.round((tokensIn / window) * 1_000) / 10),
});

const inputTokens = (usage: unknown): number =>
  (numberAt(usage, "input_tokens") ?? 0) +
  (numberAt(usage, "cache_creation_input_tokens") ?? 0) +
  (numberAt(usage, "cache_read_input_tokens") ?? 0);

/** By model where that is reported: it counts its helpers in. */
function totalOf(event: Json): { in: number; cached: number; out: number } {
  const models = valuesAt(event, "modelUsage");
  const sum = (name: string): number =>
    models.reduce<number>((total, model) => total + (numberAt(model, name) ?? 0), 0);
  if (models.length > 0)
    return {
      in: sum("inputTokens") + sum("cacheReadInputTokens") + sum("cacheCreationInputTokens"),
      cached: sum("cacheReadInputTokens"),
      out: sum("outputTokens"),
    };
  return {
    in: inputTokens(at(event, "usage")),
    cached: numberAt(event, "usage", "cache_read_input_tokens") ?? 0,
    out: numberAt(event, "usage", "output_tokens") ?? 0,
  };
}
