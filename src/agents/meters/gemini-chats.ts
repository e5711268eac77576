import path from "node:path";
import { numberAt, parseJson, textAt, type Json } from "../headless/json-fields.ts";
import { firstLine, type Ledger, type LedgerReader, namesIn, writtenAt } from "./file-meter.ts";

/** Of all its models so far; other names have no window that is known. */
const WINDOW_TOKENS = 1_048_576;
const SEEN_MAX = 10_000;

/** The chats of Gemini CLI: `tmp/PROJECT/chats/session-TIME-START_OF_ID.jsonl` in its home. */
export const geminiChats = (home: string): Ledger => ({
  find: (session) => {
    if (!/^[0-9a-f-]{36}$/.test(session)) return undefined;
    const tmp = path.join(home, "tmp");
    const files = namesIn(tmp).flatMap((project) => {
      const folder = path.join(tmp, project, "chats");
      return namesIn(folder)
        .filter((name) => name.endsWith(`-${session.slice(0, 8)}.jsonl`))
        .map((name) => path.join(folder, name));
    });
    // By their names the newest is the last.
    return files
      .sort()
      .toReversed()
      .find((file) => textAt(parseJson(firstLine(file) ?? ""), "sessionId") === session);
  },
  reader: chatReader,
});

/** An answer is written when it is there, and again with the results of its calls. */
function chatReader(startedAt: number): LedgerReader {
  const tally = { tokensIn: 0, cachedIn: 0, tokensOut: 0, requests: 0 };
  const seen = new Set<string>();
  let model: string | undefined;
  let usedPct: number | undefined;
  return {
    read: (line) => {
      const id = textAt(line, "id");
      if (line["type"] !== "gemini" || id === undefined || seen.has(id)) return;
      const used = tokensIn(line);
      if (used === undefined) return;
      seen.add(id);
      if (seen.size > SEEN_MAX) seen.delete([...seen][0] ?? "");
      model = textAt(line, "model") ?? model;
      usedPct = model?.startsWith("gemini") === true ? (used.tokensIn / WINDOW_TOKENS) * 100 : undefined;
      if ((writtenAt(line) ?? startedAt) < startedAt) return;
      tally.tokensIn += used.tokensIn;
      tally.cachedIn += used.cachedIn;
      tally.tokensOut += used.tokensOut;
      tally.requests += 1;
    },
    get tally() {
      return { ...tally, model, usedPct };
    },
  };
}

function tokensIn(line: Json): { tokensIn: number; cachedIn: number; tokensOut: number } | undefined {
  const input = numberAt(line, "tokens", "input");
  if (input === undefined) return undefined;
  const count = (name: string): number => numberAt(line, "tokens", name) ?? 0;
  return {
    tokensIn: input + count("tool"),
    cachedIn: count("cached"),
    tokensOut: count("output") + count("thoughts"),
  };
}
