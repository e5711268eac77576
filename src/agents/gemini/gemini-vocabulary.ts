import type { Signal } from "../../model/agent/signals.ts";
import { begun, missingConversation, providerError } from "../headless/provider-error.ts";
import type { SessionPast, Vocabulary } from "../headless/headless-agent.ts";
import { at, numberAt, textAt, type Json } from "../headless/json-fields.ts";
import { LastAnswer } from "../headless/last-answer.ts";
import { jsonText } from "../to-signal.ts";

const HELD_CHARS_MAX = 16_384;

interface Memory {
  readonly past: SessionPast;
  readonly answer: LastAnswer;
  /** What it is saying, piece by piece; reported when it is said. Of one that dies meanwhile the spool has it. */
  held: string;
  /** What went wrong without being in its last event. */
  failure: string | undefined;
}

/** What Gemini CLI prints with `--output-format stream-json`. */
export function geminiVocabulary(past: SessionPast): Vocabulary {
  const memory: Memory = { past, answer: new LastAnswer(), held: "", failure: undefined };
  return {
    event: (event) => {
      if (event["type"] === "message") return messageSignals(memory, event);
      const said = release(memory);
      const signals = eventSignals(memory, event);
      return signals === null && said.length === 0 ? null : [...said, ...(signals ?? [unknown(event)])];
    },
    partial: () => memory.held !== "",
    words: (text) => wordSignals(past, text),
  };
}

const unknown = (event: Json): Signal => ({ kind: "unknown", text: jsonText(event) });

function messageSignals(memory: Memory, event: Json): readonly Signal[] {
  const text = textAt(event, "content") ?? "";
  if (event["role"] !== "assistant") return [];
  if (event["delta"] === true) {
    memory.held = `${memory.held}${text}`.slice(0, HELD_CHARS_MAX);
    return [];
  }
  const before = release(memory);
  memory.held = text;
  return [...before, ...release(memory)];
}

function release(memory: Memory): readonly Signal[] {
  const text = memory.held;
  memory.held = "";
  if (text.trim() === "") return [];
  memory.answer.said(text);
  return [{ kind: "message", from: "agent", text }];
}

function eventSignals(memory: Memory, event: Json): readonly Signal[] | null {
  switch (event["type"]) {
    case "init":
      return begun(textAt(event, "session_id"));
    case "tool_use":
      memory.answer.worked();
      return [toolCall(event)];
    case "tool_result":
      return [toolResult(event)];
    case "error":
      return errorSignals(memory, event);
    case "result":
      return [...usageSignals(event), ...claim(memory, event)];
    default:
      return null;
  }
}

const callId = (event: Json): { callId?: string } => {
  const id = textAt(event, "tool_id");
  return id === undefined ? {} : { callId: id };
};

const toolCall = (event: Json): Signal => ({
  kind: "tool_call",
  ...callId(event),
  name: textAt(event, "tool_name") ?? "a tool",
  args: jsonText(at(event, "parameters") ?? {}),
});

const toolResult = (event: Json): Signal => ({
  kind: "tool_result",
  ...callId(event),
  ok: event["status"] === "success",
  text: textAt(event, "output") ?? textAt(event, "error", "message") ?? "",
});

/** A loop that it notices ends it, under the name of a warning and with a success after it. */
function errorSignals(memory: Memory, event: Json): readonly Signal[] {
  const text = textAt(event, "message") ?? "an error without words";
  const loop = /^Loop detected\b/.test(text);
  if (event["severity"] === "warning" && !loop) return [{ kind: "message", from: "system", text }];
  memory.failure = text;
  return providerError(text, loop ? { code: "loop_detected" } : {}, memory.past.startedAt);
}

/** What it thought is in its total alone. */
function usageSignals(event: Json): readonly Signal[] {
  const count = (name: string): number => numberAt(event, "stats", name) ?? 0;
  const tokensInTotal = count("input_tokens");
  const tokensOutTotal = Math.max(count("output_tokens"), count("total_tokens") - tokensInTotal);
  if (tokensInTotal + tokensOutTotal === 0) return [];
  const model = Object.keys(at(event, "stats", "models") ?? {})[0];
  const total = { tokensInTotal, cachedInTotal: count("cached"), tokensOutTotal };
  return [{ kind: "usage", ...total, ...(model === undefined ? {} : { model }) }];
}

function claim({ past, answer, failure }: Memory, event: Json): readonly Signal[] {
  if (event["status"] === "success" && failure === undefined) return answer.claim();
  const message = textAt(event, "error", "message");
  const text = message ?? failure ?? "it ended with an error";
  return [
    ...(message === undefined ? [] : providerError(unwrapped(message), codeOf(message), past.startedAt)),
    { kind: "result", ok: false, text },
  ];
}

/** `[API Error: …]`, followed by advice. */
const unwrapped = (text: string): string => /^\[API Error: (.*)\]/s.exec(text)?.[1] ?? text;

/** Where the provider's status is swallowed, only the words are left. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/\bResource has been exhausted\b|\bexhausted your daily quota\b/, "RESOURCE_EXHAUSTED"],
  [/^\[API Error: models\/\S+ is not found\b/, "model_not_found"],
  [/^\[API Error: terminated\]/, "ECONNRESET"],
];
const codeOf = (text: string): { code?: string } => {
  const code = CODES.find(([words]) => words.test(text))?.[1];
  return code === undefined ? {} : { code };
};

/** It reports its retries there and nowhere else. */
function wordSignals(past: SessionPast, text: string): readonly Signal[] | null {
  if (text.startsWith("Error resuming session:")) return [missingConversation(text)];
  const wait = /\bRetrying after (\d{1,9})ms\b/.exec(text)?.[1];
  if (wait !== undefined) return [{ kind: "rate_limit", text, retryAfterMs: Number(wait) }];
  if (/^Attempt \d+ failed with status \d{3}\b/.test(text)) return providerError(text, {}, past.startedAt);
  return /^(YOLO mode is enabled|Ripgrep is not available|Warning: (True|256-)color)/.test(text) ? [] : null;
}
