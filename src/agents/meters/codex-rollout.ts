import path from "node:path";
import { at, numberAt, textAt, type Json } from "../headless/json-fields.ts";
import { type Ledger, type LedgerReader, namesIn, writtenAt } from "./file-meter.ts";

const DAY_MS = 86_400_000;

/** The rollout files of Codex: `sessions/YYYY/MM/DD/rollout-…-THREAD.jsonl` in its home. */
export const codexRollouts = (home: string): Ledger => ({
  find: (thread) => {
    if (!/^[0-9a-f-]{36}$/.test(thread)) return undefined;
    for (const day of daysAround(bornAt(thread))) {
      const folder = path.join(home, "sessions", day);
      const name = namesIn(folder).find((one) => one.endsWith(`-${thread}.jsonl`));
      if (name !== undefined) return path.join(folder, name);
    }
    return undefined;
  },
  reader: rolloutReader,
});

/** A thread's name begins with the time of its birth. */
const bornAt = (thread: string): number => Number.parseInt(thread.replaceAll("-", "").slice(0, 12), 16);

/** The folder is named by the day where it runs, which is this one or a neighbour. */
const daysAround = (at: number): readonly string[] =>
  [at, at - DAY_MS, at + DAY_MS].map((one) => {
    const date = new Date(one);
    return Number.isNaN(date.getTime()) ? "none" : date.toISOString().slice(0, 10).replaceAll("-", path.sep);
  });

/** It shows the total of the whole conversation again and again, also without a request between. */
function rolloutReader(startedAt: number): LedgerReader {
  const count = { tokensIn: 0, cachedIn: 0, tokensOut: 0 };
  let base = { ...count };
  let requests = 0;
  let model: string | undefined;
  let usedPct: number | undefined;
  return {
    read: (line) => {
      if (line["type"] === "turn_context") model = textAt(line, "payload", "model") ?? model;
      const total = totalIn(line);
      if (total === undefined || total.tokensIn + total.tokensOut === count.tokensIn + count.tokensOut)
        return;
      Object.assign(count, total);
      if ((writtenAt(line) ?? startedAt) < startedAt) base = { ...total };
      else requests += 1;
      usedPct = pctIn(line);
    },
    get tally() {
      return {
        tokensIn: Math.max(0, count.tokensIn - base.tokensIn),
        cachedIn: Math.max(0, count.cachedIn - base.cachedIn),
        tokensOut: Math.max(0, count.tokensOut - base.tokensOut),
        requests,
        model,
        usedPct,
      };
    },
  };
}

const infoIn = (line: Json): unknown =>
  textAt(line, "payload", "type") === "token_count" ? at(line, "payload", "info") : undefined;

function totalIn(line: Json): { tokensIn: number; cachedIn: number; tokensOut: number } | undefined {
  const total = at(infoIn(line), "total_token_usage");
  const tokensIn = numberAt(total, "input_tokens");
  if (tokensIn === undefined) return undefined;
  return {
    tokensIn,
    cachedIn: numberAt(total, "cached_input_tokens") ?? 0,
    tokensOut: numberAt(total, "output_tokens") ?? 0,
  };
}

function pctIn(line: Json): number | undefined {
  const info = infoIn(line);
  const window = numberAt(info, "model_context_window") ?? 0;
  const last = numberAt(info, "last_token_usage", "total_tokens");
  return last === undefined || window === 0 ? undefined : (last / window) * 100;
}
