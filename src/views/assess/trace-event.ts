import {
  callDoes,
  callLimitMs,
  countedIn,
  counts,
  isBare,
  isCancelled,
  readsFailed,
} from "../../model/agent/call-does.ts";
import { readLimit } from "../../model/text/limit-text.ts";
import type { LimitSeen, Observed } from "../../model/agent/observed.ts";
import { readSpoken } from "../../model/agent/read-spoken.ts";
import { resetTime } from "../../model/text/reset-time.ts";
import { alikeKey, exactKey, textKeys } from "../../model/text/text-key.ts";
import { userWords } from "../../model/text/user-words.ts";
import { excerpt } from "../text/excerpt.ts";

/** A line of a recorded trace, as far as anybody looks at it; unknown keys are allowed everywhere. */
export interface TraceEvent {
  readonly t_ms: number;
  readonly kind: string;
  readonly [key: string]: unknown;
}

export const TRACE_KINDS: readonly string[] = [
  "tool_call",
  "tool_result",
  "assistant",
  "user",
  "error",
  "system",
  "usage",
  "context",
  "process",
  "screen",
  "rate_limit",
  "permission",
  "heartbeat",
];

/** Says what is wrong with a value that should be an event of a trace; null where nothing is. */
export function traceProblem(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return `is ${kindOf(value)}; expected an object with "t_ms" and "kind"`;
  const { t_ms: time, kind } = value as Record<string, unknown>;
  if (typeof time !== "number" || !Number.isFinite(time))
    return `has "t_ms" ${shown(time)}; expected a number of milliseconds`;
  if (typeof kind !== "string") return `has "kind" ${shown(kind)}; expected one of ${TRACE_KINDS.join(", ")}`;
  return null;
}

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
const shown = (value: unknown): string =>
  value === undefined ? "missing" : JSON.stringify(value).slice(0, 80);

/** What an event of a trace says about health; empty where it says nothing. Keys of texts are computed here, once. */
export function observe(event: TraceEvent, zone: string): Observed[] {
  switch (event.kind) {
    case "tool_call":
      return [seenCall(event)];
    case "tool_result":
      return [seenResult(event)];
    case "assistant":
      // A piece of an answer shows that the model speaks; what it says counts when it is whole.
      if (event["partial"] === true) return [{ kind: "speaking" }];
      return [{ kind: "said", spoken: readSpoken(wordsOf(event)), words: excerpt(wordsOf(event)) }];
    case "user":
      return [seenUser(event)];
    case "error": {
      const text = wordsOf(event);
      const alike = alikeKey(text);
      return [{ kind: "error", alike, limit: limitIn(text, event.t_ms, zone), words: excerpt(text) }];
    }
    case "system":
      return seenSystem(event);
    case "rate_limit":
      return [{ kind: "limit", limit: reportedLimit(event, zone) }];
    case "usage":
      return [{ kind: "used" }];
    case "heartbeat":
      return [{ kind: "beat" }];
    case "permission":
      return [seenPermission(event)];
    default:
      return seenState(event, zone);
  }
}

function seenState(event: TraceEvent, zone: string): Observed[] {
  switch (event.kind) {
    case "context":
      return typeof event["used_pct"] === "number" ? [{ kind: "context", usedPct: event["used_pct"] }] : [];
    case "process": {
      const exitCode = typeof event["exit_code"] === "number" ? event["exit_code"] : null;
      const { alive } = event;
      // Only a word about the process counts: a probe that failed says nothing (I6).
      return typeof alive === "boolean" ? [{ kind: "process", alive, exitCode }] : [];
    }
    case "screen": {
      const text = linesOf(event);
      const bottom = text.split("\n").slice(-SCREEN_LINES).join("\n");
      return [
        {
          kind: "screen",
          key: alikeKey(bottom.replaceAll(SPINNER, "")),
          atPrompt: event["at_prompt"] === true,
          limit: limitIn(bottom, event.t_ms, zone),
        },
      ];
    }
    default:
      return [];
  }
}

const SCREEN_LINES = 30;
const SPINNER = /[⠀-⣿◐◓◑◒✳✶✻✽✢·*|/\\-]/gu;

/** So much of a call shows what is tried. */
const HEAD_CHARS = 12;

function seenUser(event: TraceEvent): Observed {
  const text = wordsOf(event);
  const said = userWords(text);
  if (said !== "sent") return { kind: said };
  return { kind: "sent", key: sha(event, "result_sha") ?? exactKey(text) };
}

function seenCall(event: TraceEvent): Observed {
  const name = textOf(event["name"]);
  const args = argsText(event["args"]);
  const does = callDoes(name, args);
  const limitMs = callLimitMs(args);
  const id = event["call_id"];
  return {
    kind: "call",
    ...(typeof id === "string" ? { id } : {}),
    name,
    key: `${name} ${sha(event, "args_sha") ?? exactKey(args)}`,
    head: `${name} ${args.slice(0, HEAD_CHARS)}`,
    does,
    ...(limitMs === undefined ? {} : { limitMs }),
    words: excerpt(args),
  };
}

function seenResult(event: TraceEvent): Observed {
  const text = wordsOf(event);
  const keys = textKeys(text);
  const exact = sha(event, "result_sha") ?? keys.exact;
  const exitCode = event["exit_code"];
  const failed =
    event["ok"] === false || (event["ok"] !== true && typeof exitCode === "number" && exitCode !== 0);
  const id = event["call_id"];
  return {
    kind: "result",
    ...(typeof id === "string" ? { id } : {}),
    ...(typeof event["name"] === "string" ? { name: event["name"] } : {}),
    failed,
    readsFailed: !failed && readsFailed(text),
    exact,
    alike: !failed && counts(text) ? exact : (sha(event, "result_norm_sha") ?? keys.alike) + countedIn(text),
    bare: isBare(text),
    cancelled: isCancelled(text),
    words: excerpt(text),
  };
}

/** Notes of the agent's own machinery. */
function seenSystem(event: TraceEvent): Observed[] {
  const name = textOf(event["name"]);
  if (/condens|compact|context_trim/i.test(name)) return [{ kind: "condensed" }];
  if (/loop_cleared|recovery/i.test(name)) return [{ kind: "granted" }];
  if (/retry|retrie|reconnect|stream_?(?:error|reset|restart|interrupt)/i.test(name))
    return [{ kind: "retried" }];
  return [{ kind: TURN_ENDED.test(name) ? "ended" : "beat" }];
}

const TURN_ENDED =
  /^(?:stop|idle|finished|completed)|turn_?(?:end|duration|complete)|session_?end|task_?complete/i;

function seenPermission(event: TraceEvent): Observed {
  const id = textOf(event["call_id"]) || "permission";
  const answered = typeof event["ok"] === "boolean" || /answered|granted|denied/i.test(textOf(event["name"]));
  return answered ? { kind: "answered", id } : { kind: "asked", id, what: "permission" };
}

function reportedLimit(event: TraceEvent, zone: string): LimitSeen {
  const text = wordsOf(event);
  const { retryAfterMs, resetsAt } = resetTime(text, event.t_ms, zone);
  const reported = event["retry_after_s"];
  const afterMs = typeof reported === "number" ? reported * 1_000 : retryAfterMs;
  return { until: resetsAt ?? (afterMs === undefined ? null : event.t_ms + afterMs), text: excerpt(text) };
}

function limitIn(text: string, at: number, zone: string): LimitSeen | null {
  const reading = readLimit(text);
  if (reading === null) return null;
  const { retryAfterMs, resetsAt } = resetTime(text, at, zone);
  return {
    until: resetsAt ?? (retryAfterMs === undefined ? null : at + retryAfterMs),
    text: excerpt(reading.line),
  };
}

const sha = (event: TraceEvent, key: string): string | undefined => {
  const value = event[key];
  return typeof value === "string" && value !== "" ? value : undefined;
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const argsText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
const wordsOf = (event: TraceEvent): string => argsText(event["result"] ?? event["text"]);
const linesOf = (event: TraceEvent): string => {
  const { lines } = event;
  return Array.isArray(lines)
    ? lines.map((line) => argsText(line)).join("\n")
    : textOf(lines) || wordsOf(event);
};
