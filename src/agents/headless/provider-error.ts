import { isConversationId } from "../conversation-id.ts";
import { at, numberAt, parseJson, textAt } from "./json-fields.ts";
import { CONVERSATION_MISSING, type ErrorSignal, type Signal } from "../../model/agent/signals.ts";

/** The agent does not know the conversation it was to go on with. */
export const missingConversation = (text: string): Signal => ({
  kind: "error",
  text,
  terminal: false,
  code: CONVERSATION_MISSING,
});

/** The first thing that is received from an agent. */
export const begun = (conversation: string | undefined): readonly Signal[] => [
  { kind: "ready" },
  ...(conversation === undefined ? [] : [named(conversation)]),
];

function named(conversation: string): Signal {
  if (isConversationId(conversation)) return { kind: "conversation", id: conversation };
  const seen = JSON.stringify(conversation.slice(0, 100));
  const text = `the agent named its conversation ${seen}; expected letters, digits and "_.:-". It cannot be continued`;
  return { kind: "error", text, terminal: false };
}

/** How long an agent says it has to wait: for a while, or until a time of day after it was started. */
interface NamedWait {
  readonly retryAfterMs?: number;
  readonly resetsAt?: number;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  second: 1_000,
  m: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  day: 86_400_000,
};

const SPAN = /(\d{1,9}(?:\.\d{1,9})?) ?(ms|seconds?|s|minutes?|m|hours?|h|days?)\b/gi;
const TIME_OF_DAY = /\b(?:try again at|resets(?: at)?) (\d{1,2})(?::(\d{2}))? ?(am|pm)\b( \(UTC\))?/i;
const DAY_MS = 86_400_000;

export function namedWait(text: string, startedAt: number): NamedWait {
  const words = /\b(?:try again in|retry after|retry in|retrying in|resets in) (.{1,80})/i.exec(text)?.[1];
  const spans = words === undefined ? [] : [...words.matchAll(SPAN)];
  if (spans.length > 0) {
    const sum = spans.reduce((total, [, count, unit]) => total + Number(count) * unitMs(unit ?? ""), 0);
    return { retryAfterMs: Math.round(sum) };
  }
  const time = TIME_OF_DAY.exec(text);
  return time === null ? {} : timeOfDay(time, startedAt);
}

const unitMs = (unit: string): number => {
  const name = unit.toLowerCase();
  return UNITS_MS[name] ?? UNITS_MS[name.replace(/s$/, "")] ?? 0;
};

/** The first such time after the start; in the zone of this machine unless another is named. */
function timeOfDay([, hourText, minuteText, half, utc]: RegExpExecArray, startedAt: number): NamedWait {
  const hour = (Number(hourText) % 12) + (half?.toLowerCase() === "pm" ? 12 : 0);
  const minute = Number(minuteText ?? 0);
  const day = new Date(startedAt);
  if (utc === undefined) day.setHours(hour, minute, 0, 0);
  else day.setUTCHours(hour, minute, 0, 0);
  const resetsAt = day.getTime();
  return { resetsAt: resetsAt > startedAt ? resetsAt : resetsAt + DAY_MS };
}

export interface ErrorFacts {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
}

/**
 * What an agent says when its provider failed it. Given only text that an agent gave out as an error: never what a
 * model or a tool said, where the same words mean nothing.
 */
export function providerError(text: string, facts: ErrorFacts, startedAt: number): readonly Signal[] {
  const error = errorSignal(text, facts);
  if (isBrokenHistory(error.text)) return [missingConversation(error.text)];
  return isLimit(error)
    ? [{ kind: "rate_limit", text: error.text, ...namedWait(error.text, startedAt) }, error]
    : [error];
}

function errorSignal(text: string, facts: ErrorFacts): ErrorSignal {
  const inside = factsInside(text);
  const status = facts.status ?? inside.status ?? statusInWords(text);
  const code = facts.code ?? inside.code;
  return {
    kind: "error",
    text: inside.text ?? text,
    terminal: (status !== undefined && HOPELESS_STATUS.has(status)) || HOPELESS_CODES.has(code ?? ""),
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
  };
}

/**
 * An agent that was killed at a bad moment keeps a call without its result, and providers refuse such a history for
 * ever: the conversation is lost, and a new one is not.
 */
const BROKEN_HISTORY =
  /function response parts is equal to the number of function call parts|`tool_use` ids were found without `tool_result`|tool_call_ids did not have response messages|No tool output found for function call/;

/** Of words that came as an error, and in one line however they were shown. */
export const isBrokenHistory = (text: string): boolean => BROKEN_HISTORY.test(text);

/** Without credentials, or without the right to, nothing gets better by trying again. */
const HOPELESS_STATUS: ReadonlySet<number> = new Set([401, 402, 403]);
const HOPELESS_CODES: ReadonlySet<string> = new Set([
  "authentication_error",
  "billing_error",
  "billing_hard_limit_reached",
  "invalid_api_key",
  "UNAUTHENTICATED",
]);

const LIMIT_CODES: ReadonlySet<string> = new Set([
  "rate_limit_error",
  "rate_limit_exceeded",
  "usage_limit_reached",
  "RESOURCE_EXHAUSTED",
]);

const isLimit = ({ status, code, text }: ErrorSignal): boolean =>
  status === 429 ||
  LIMIT_CODES.has(code ?? "") ||
  (status === undefined &&
    /\b(usage limit|rate limit|hit your limit|resource has been exhausted|daily quota)\b/i.test(text));

/** Many pass the provider's answer on as it came, somewhere in their own words. */
function factsInside(text: string): ErrorFacts & { readonly text?: string } {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  const json = start === -1 || end < start ? undefined : parseJson(text.slice(start, end + 1));
  const error = at(json, "error") ?? json;
  const message = textAt(error, "message");
  if (message === undefined) return {};
  const code = textAt(error, "code") ?? textAt(error, "status") ?? textAt(error, "type");
  return { text: message, status: httpStatus(numberAt(error, "code")), code };
}

const httpStatus = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isInteger(value) && value >= 100 && value < 600 ? value : undefined;

function statusInWords(text: string): number | undefined {
  const found = /\bstatus:? (\d{3})\b/i.exec(text)?.[1];
  return found === undefined ? undefined : httpStatus(Number(found));
}
