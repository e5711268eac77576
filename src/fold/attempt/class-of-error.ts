import type { EventData } from "../../model/events/events.ts";
import type { FailureClass } from "../../model/agent/failure.ts";
import type { ErrorSignal } from "../../model/agent/signals.ts";

export const PROVIDER_CODES: Readonly<Record<string, FailureClass>> = {
  authentication_error: "terminal",
  permission_error: "terminal",
  invalid_api_key: "terminal",
  invalid_request_error: "terminal",
  model_not_found: "terminal",
  not_found_error: "terminal",
  billing_error: "terminal",
  insufficient_quota: "terminal",
  UNAUTHENTICATED: "terminal",
  PERMISSION_DENIED: "terminal",
  INVALID_ARGUMENT: "terminal",
  rate_limit_error: "rate_limited",
  rate_limit_exceeded: "rate_limited",
  RESOURCE_EXHAUSTED: "rate_limited",
  overloaded_error: "transient",
  api_error: "transient",
  server_error: "transient",
  timeout_error: "transient",
  UNAVAILABLE: "transient",
  INTERNAL: "transient",
  DEADLINE_EXCEEDED: "transient",
  ECONNRESET: "transient",
  ECONNREFUSED: "transient",
  ETIMEDOUT: "transient",
  EPIPE: "transient",
  ENOTFOUND: "transient",
  EAI_AGAIN: "transient",
};

/** Words are weak evidence: they are asked only where nothing better was said. */
const WORDS: readonly (readonly [RegExp, FailureClass])[] = [
  [/\b(invalid|incorrect|missing|expired) (api key|credentials?|token)\b/i, "terminal"],
  [/\bcredit balance (is )?too low\b/i, "terminal"],
  [/\b(unauthori[sz]ed|not logged in|please (log ?in|sign in)|authentication failed)\b/i, "terminal"],
  [/\b(rate limit|too many requests|usage limit)\b/i, "rate_limited"],
  [
    /\b(overloaded|temporarily unavailable|connection (reset|refused|closed)|timed? ?out|network error)\b/i,
    "transient",
  ],
  // A status in the shape of an error; a number of lines or files is none.
  [
    /\b(?:error|status(?: code)?|http)[ :(]{1,3}5\d\d(?:[).,:;]|$| (?!files?\b|lines?\b|tests?\b))/i,
    "transient",
  ],
  [/\b(internal server error|bad gateway|service unavailable|gateway time-?out)\b/i, "transient"],
  [/\bserver (had|encountered|experienced) an (internal |unexpected )?error\b/i, "transient"],
  // What Node.js says of a connection that was lost on the way.
  [
    /\b(fetch failed|socket hang up|premature close|other side closed)\b|^(TypeError: )?terminated$/i,
    "transient",
  ],
  // What came was not what was agreed on, or not all of it.
  [/\b(failed to parse json|incomplete json|stream (disconnected|closed))\b/i, "transient"],
];

const classOfStatus = (status: number): FailureClass | null => {
  if (status === 429) return "rate_limited";
  if (status === 408 || status === 409 || status >= 500) return "transient";
  return status >= 400 ? "terminal" : null;
};

/** Structured evidence first — the driver's own word, a status, a code — and text last; null where nothing is known. */
export function classOfError(error: ErrorSignal | null): FailureClass | null {
  if (error === null) return null;
  if (error.terminal) return "terminal";
  const byCode = error.code === undefined ? undefined : PROVIDER_CODES[error.code];
  if (byCode !== undefined) return byCode;
  const byStatus = error.status === undefined ? null : classOfStatus(error.status);
  return byStatus ?? WORDS.find(([words]) => words.test(error.text))?.[1] ?? null;
}

/** A crash counts if it is the agent's: what a limit did to it is not. */
export const isCrash = ({ outcome, charged, failure }: EventData<"AttemptEnded">): boolean =>
  charged && (outcome === "crashed" || outcome === "zombie") && failure?.class !== "rate_limited";

/** Failures that differ only in counters, addresses and ids are the same failure. */
export const fingerprint = (text: string): string =>
  text
    .slice(0, 2_000)
    .replaceAll(/0x[0-9a-f]+|\b[0-9a-f]{7,}\b|\d+/gi, "#")
    .replaceAll(/\s+/g, " ")
    .slice(0, 200);
