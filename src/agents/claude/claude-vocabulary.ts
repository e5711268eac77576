import { CONVERSATION_MISSING, type Signal } from "../../model/agent/signals.ts";
import { begun, missingConversation, providerError } from "../headless/provider-error.ts";
import type { SessionPast, Vocabulary } from "../headless/headless-agent.ts";
import { at, listAt, numberAt, textAt, type Json } from "../headless/json-fields.ts";
import { jsonText } from "../to-signal.ts";
import { claudeBlock } from "./claude-blocks.ts";
import { claudeUsage, type ClaudeUsage } from "./claude-usage.ts";

interface Memory {
  readonly past: SessionPast;
  readonly usage: ClaudeUsage;
  /** What its last message said went wrong. */
  code: string | undefined;
  /** Whether its last event was a piece of an answer. */
  partial: boolean;
}

/** What Claude Code prints with `--output-format stream-json`. */
export function claudeVocabulary(past: SessionPast): Vocabulary {
  const memory: Memory = { past, usage: claudeUsage(), code: undefined, partial: false };
  return {
    partial: () => memory.partial,
    event: (event) => {
      memory.partial = textAt(event, "event", "type") === "content_block_delta";
      switch (event["type"]) {
        case "system":
          return systemSignals(memory, event);
        case "assistant":
          return assistantSignals(memory, event);
        case "user":
          return contentOf(event).flatMap((block) => claudeBlock(block, "user"));
        case "stream_event":
          return [];
        case "rate_limit_event":
          return limitSignals(event);
        case "result":
          return resultSignals(memory, event);
        default:
          return null;
      }
    },
    words: (text) => (isMissing(text) ? [missingConversation(text)] : null),
  };
}

const isMissing = (text: string): boolean => text.includes("No conversation found with session ID");

function contentOf(event: Json): readonly unknown[] {
  const text = textAt(event, "message", "content");
  return text === undefined ? listAt(event, "message", "content") : [{ type: "text", text }];
}

function systemSignals(memory: Memory, event: Json): readonly Signal[] | null {
  switch (event["subtype"]) {
    case "init":
      memory.usage.model(textAt(event, "model"));
      return begun(textAt(event, "session_id"));
    case "api_retry":
      return retrySignals(memory, event);
    case "status":
      return statusSignals(event);
    case "compact_boundary":
      return [{ kind: "condensed" }];
    case "task_started":
    case "task_progress":
    case "task_notification":
      return [
        { kind: "progress", text: textAt(event, "description") ?? textAt(event, "summary") ?? "a task" },
      ];
    case "model_refusal_no_fallback":
      return [{ kind: "message", from: "system", text: "the model refused" }];
    default:
      return null;
  }
}

/** It goes on by itself, so a limit is reported without an error beside it. */
function retrySignals({ past }: Memory, event: Json): readonly Signal[] {
  const status = numberAt(event, "error_status");
  const code = codeOf(textAt(event, "error"));
  const retryAfterMs = numberAt(event, "retry_delay_ms");
  const text = `${code ?? "the provider failed"}${status === undefined ? "" : ` (${String(status)})`}, tried again`;
  if (status === 429)
    return [
      {
        kind: "rate_limit",
        text,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(retryAfterMs) }),
      },
    ];
  return providerError(text, { status, code }, past.startedAt);
}

function statusSignals(event: Json): readonly Signal[] {
  const text = textAt(event, "status");
  if (text !== undefined) return [{ kind: "progress", text }];
  const failure = textAt(event, "compact_error");
  return failure === undefined ? [] : [{ kind: "progress", text: `compacting failed: ${failure}` }];
}

function assistantSignals(memory: Memory, event: Json): readonly Signal[] {
  const code = textAt(event, "error");
  if (code === undefined)
    return [
      ...memory.usage.message(event),
      ...contentOf(event).flatMap((block) => claudeBlock(block, "agent")),
    ];
  // Its own words in the model's place; the result will show the error.
  memory.code = code;
  return contentOf(event).flatMap((block): readonly Signal[] => [
    { kind: "message", from: "system", text: textAt(block, "text") ?? code },
  ]);
}

function limitSignals(event: Json): readonly Signal[] {
  const info = at(event, "rate_limit_info");
  if (textAt(info, "status") !== "rejected") return [];
  const seconds = numberAt(info, "resetsAt");
  const text = `the usage limit is reached (${textAt(info, "rateLimitType") ?? "of an unnamed kind"})`;
  return [{ kind: "rate_limit", text, ...(seconds === undefined ? {} : { resetsAt: seconds * 1_000 }) }];
}

function resultSignals(memory: Memory, event: Json): readonly Signal[] {
  const text = textAt(event, "result") ?? listAt(event, "errors").map(jsonText).join("; ");
  return [...memory.usage.result(event), ...denials(event), ...claim(memory, event, text)];
}

const denials = (event: Json): readonly Signal[] =>
  listAt(event, "permission_denials").map((denial) => ({
    kind: "message",
    from: "system",
    text: `permission denied: ${textAt(denial, "tool_name") ?? "a tool"} ${jsonText(at(denial, "tool_input"))}`,
  }));

/** `subtype: "success"` is said of failures too; an empty answer claims nothing. */
function claim(memory: Memory, event: Json, text: string): readonly Signal[] {
  const refused = event["stop_reason"] === "refusal";
  if (event["subtype"] === "success" && event["is_error"] === false && !refused)
    return text.trim() === "" ? [] : [{ kind: "result", ok: true, text }];
  const said = text === "" ? `it ended with ${textAt(event, "subtype") ?? "an error"}` : text;
  const facts = {
    status: numberAt(event, "api_error_status"),
    code: refused ? "refusal" : isMissing(said) ? CONVERSATION_MISSING : codeOf(memory.code),
  };
  return [...providerError(said, facts, memory.past.startedAt), { kind: "result", ok: false, text: said }];
}

const CODES: Readonly<Record<string, string>> = {
  authentication_failed: "authentication_error",
  rate_limit: "rate_limit_error",
};

const codeOf = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : (CODES[code] ?? code);
