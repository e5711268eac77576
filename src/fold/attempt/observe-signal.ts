import type { HealthState } from "../../model/agent/health.ts";
import type { LimitSeen, Observed } from "../../model/agent/observed.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { Signal } from "../../model/agent/signals.ts";
import { alikeKey, exactKey } from "../../model/text/text-key.ts";
import { userWords } from "../../model/text/user-words.ts";
import { classOfError } from "./class-of-error.ts";

const WORDS_MAX = 120;
const HEAD_CHARS = 12;

/** What a signal says about health; null where it says nothing. Texts were given their keys where they were read. */
export function observeSignal(signal: Signal, health: HealthState, at: number): Observed | null {
  switch (signal.kind) {
    case "tool_call":
      return observeCall(signal);
    case "tool_result":
      return observeResult(signal);
    case "message":
      return observeMessage(signal);
    case "error":
      return observeError(signal, health);
    case "rate_limit":
      return { kind: "limit", limit: { ...untilOf(signal, at), text: words(signal.text) } };
    case "context":
      return { kind: "context", usedPct: signal.usedPct };
    case "question":
      return { kind: "asked", id: signal.askId, what: "person", text: questionText(signal.text) };
    case "permission":
      return {
        kind: "asked",
        id: signal.askId,
        what: "permission",
        ...(signal.callId === undefined ? {} : { callId: signal.callId }),
      };
    case "speaking":
    case "condensed":
      return { kind: signal.kind };
    case "answered":
      return { kind: "answered", id: signal.askId };
    case "progress":
      // What was shown before is no voice: a program that prints the same for ever says nothing.
      return signal.again === true ? null : { kind: "progress" };
    case "result":
      return { kind: "ended" };
    case "usage":
      return { kind: hasUsed(signal) ? "used" : "beat" };
    case "ready":
    case "conversation":
    case "blocked":
    case "unknown":
      return { kind: "beat" };
    case "exit":
      return null;
  }
}

const hasUsed = ({ tokensIn = 0, tokensOut = 0, usd = 0 }: Extract<Signal, { kind: "usage" }>): boolean =>
  tokensIn > 0 || tokensOut > 0 || usd > 0;

function observeCall(signal: Extract<Signal, { kind: "tool_call" }>): Observed {
  const args = signal.args ?? "";
  return {
    kind: "call",
    ...(signal.callId === undefined ? {} : { id: signal.callId }),
    name: signal.name,
    key: `${signal.name} ${signal.argsDigest ?? args}`,
    head: `${signal.name} ${args.slice(0, HEAD_CHARS)}`,
    does: signal.does ?? "run",
    ...(signal.limitMs === undefined ? {} : { limitMs: signal.limitMs }),
    words: words(args),
  };
}

function observeResult(signal: Extract<Signal, { kind: "tool_result" }>): Observed {
  const text = signal.text ?? "";
  const exact = signal.textDigest ?? text;
  return {
    kind: "result",
    ...(signal.callId === undefined ? {} : { id: signal.callId }),
    ...(signal.name === undefined ? {} : { name: signal.name }),
    failed: !signal.ok,
    readsFailed: signal.reads === "failed",
    exact,
    alike: signal.textAlike ?? exact,
    bare: signal.reads === "bare" || text === "",
    cancelled: signal.reads === "cancelled",
    words: words(text),
  };
}

function observeMessage({ from, text, spoken }: Extract<Signal, { kind: "message" }>): Observed {
  if (from === "agent")
    return spoken === undefined ? { kind: "beat" } : { kind: "said", spoken, words: words(text) };
  return from === "user" ? observeUser(text) : { kind: "beat" };
}

function observeUser(text: string): Observed {
  const said = userWords(text);
  return said === "sent" ? { kind: "sent", key: exactKey(text) } : { kind: said };
}

/** The error that comes with a limit says no more than the limit did. */
function observeError(signal: Extract<Signal, { kind: "error" }>, { limit }: HealthState): Observed | null {
  const limited = classOfError(signal) === "rate_limited";
  if (limited && limit !== null) return null;
  return {
    kind: "error",
    alike: signal.code ?? alikeKey(signal.text),
    limit: limited ? { until: null, text: words(signal.text) } : null,
    words: words(signal.text),
  };
}

/** Lines that frame a dialog on a screen, and marks of what is chosen. */
const FRAMES = /[\u2500-\u25ff\u2800-\u28ff❯›▌]+/gu;
const QUESTION_CHARS = 300;

/** A question as a person reads it: on one line, without the frame around it, and nothing that a terminal acts on. */
const questionText = (text: string): string =>
  printableLine(text.replaceAll(FRAMES, " "), QUESTION_CHARS) || "an answer";

const untilOf = (
  { resetsAt, retryAfterMs }: Extract<Signal, { kind: "rate_limit" }>,
  at: number,
): Pick<LimitSeen, "until" | "named"> => {
  const until = resetsAt ?? (retryAfterMs === undefined ? null : at + retryAfterMs);
  // Agents name waits of 591.247 ms too, and a time so far away that nobody can have meant it names none.
  if (until === null || Math.abs(until) > LAST_TIME_MS) return { until: null };
  return { until: Math.ceil(until), ...(resetsAt === undefined ? {} : { named: true }) };
};

/** The last instant that a date can hold. */
const LAST_TIME_MS = 8.64e15;

const words = (text: string): string => (text.length <= WORDS_MAX ? text : `${text.slice(0, WORDS_MAX)}…`);
