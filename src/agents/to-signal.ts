import { createHash } from "node:crypto";
import {
  callDoes,
  callLimitMs,
  countedIn,
  counts,
  isBare,
  isCancelled,
  readsFailed,
} from "../model/agent/call-does.ts";
import { readSpoken } from "../model/agent/read-spoken.ts";
import { type Signal, signalSchema, toExcerpt } from "../model/agent/signals.ts";
import { alikeKey } from "../model/text/text-key.ts";

/** Stands for a whole text wherever only an excerpt is kept: equal texts have equal digests. */
export const textDigest = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 32);

const EXCERPTED = new Set(["args", "text", "what"]);
const SHORT_CHARS_MAX = 512;

/**
 * Takes everything an agent said for a signal if it can be one, cut to size; anything else is kept as `unknown`, never
 * an error.
 */
export function toSignal(said: unknown): Signal {
  const checked = signalSchema.safeParse(cutToSize(said));
  return checked.success ? checked.data : unknownSignal(said);
}

export const unknownSignal = (said: unknown): Signal => ({
  kind: "unknown",
  text: toExcerpt(jsonText(said)),
});

function cutToSize(said: unknown): unknown {
  if (typeof said !== "object" || said === null) return said;
  const cut = new Map<string, unknown>(Object.entries(said));
  for (const [key, value] of cut) {
    if (typeof value !== "string") continue;
    cut.set(key, EXCERPTED.has(key) ? toExcerpt(value) : value.slice(0, SHORT_CHARS_MAX));
  }
  return Object.fromEntries([...facts(said), ...cut]);
}

/** Comparing calls, results and messages later needs the whole text, of which only an excerpt is kept. */
function facts(said: object): [string, unknown][] {
  if (!("kind" in said)) return [];
  if (said.kind === "tool_call" && "args" in said && typeof said.args === "string")
    return callFacts("name" in said && typeof said.name === "string" ? said.name : "", said.args);
  if (said.kind === "tool_result" && "text" in said && typeof said.text === "string")
    return resultFacts(said.text, "ok" in said && said.ok === true);
  if (said.kind === "message" && "from" in said && said.from === "agent" && "text" in said)
    return typeof said.text === "string" ? [["spoken", readSpoken(said.text)]] : [];
  return [];
}

function callFacts(name: string, args: string): [string, unknown][] {
  const limitMs = callLimitMs(args);
  return [
    ["argsDigest", textDigest(args)],
    ["does", callDoes(name, args)],
    ...(limitMs === undefined ? [] : [["limitMs", limitMs] as [string, unknown]]),
  ];
}

function resultFacts(text: string, ok: boolean): [string, unknown][] {
  const digest = textDigest(text);
  const reads = howItReads(text, ok);
  return [
    ["textDigest", digest],
    ["textAlike", ok && counts(text) ? digest : alikeKey(text) + countedIn(text)],
    ...(reads === null ? [] : [["reads", reads] as [string, unknown]]),
  ];
}

function howItReads(text: string, ok: boolean): string | null {
  if (isCancelled(text)) return "cancelled";
  if (isBare(text)) return "bare";
  return ok && readsFailed(text) ? "failed" : null;
}

/** Words for any value: text as it is, JSON where possible, and never a throw. */
export function jsonText(said: unknown): string {
  if (typeof said === "string") return said;
  try {
    // Typed as text, but a function or a symbol gives undefined.
    const json: string | undefined = JSON.stringify(said);
    return json ?? (said === undefined ? "undefined" : `a ${typeof said}`);
  } catch {
    return `a ${typeof said} that is not JSON`;
  }
}
