import type { EventData } from "../model/events.ts";
import type { Failure, FailureClass } from "../model/failure.ts";
import type { AttemptState } from "../model/run-state.ts";
import { limitBefore } from "./limit-said.ts";
import type { ErrorSignal } from "../model/signals.ts";

/** What may follow a failure of each class; exhaustive by type (G8). */
export const RETRY_CLASSES: Readonly<
  Record<
    FailureClass,
    { readonly retried: boolean; readonly stopsWhenRepeated: boolean; readonly meaning: string }
  >
> = {
  transient: {
    retried: true,
    stopsWhenRepeated: false,
    meaning: "passes by itself; tried again after a wait",
  },
  terminal: { retried: false, stopsWhenRepeated: false, meaning: "comes again however often it is tried" },
  rate_limited: { retried: true, stopsWhenRepeated: false, meaning: "the provider asks to wait" },
  contract_missed: { retried: true, stopsWhenRepeated: true, meaning: "ended without evidence of success" },
  artifact_invalid: {
    retried: true,
    stopsWhenRepeated: true,
    meaning: "what was delivered is not what was declared",
  },
  check_failed: {
    retried: true,
    stopsWhenRepeated: false,
    meaning: "a check that Holdfast ran did not pass",
  },
  agent_failed: { retried: true, stopsWhenRepeated: true, meaning: "the agent itself did not succeed" },
};

const PROVIDER_CODES: Readonly<Record<string, FailureClass>> = {
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

/** Whether an error was told by a provider, by its status or code; words alone are not enough to speak for others. */
export const isProviders = (error: ErrorSignal | null): boolean =>
  error !== null &&
  (error.status !== undefined || (error.code !== undefined && Object.hasOwn(PROVIDER_CODES, error.code)));

/** A crash counts if it is the agent's: what a limit did to it is not. */
export const isCrash = ({ outcome, charged, failure }: EventData<"AttemptEnded">): boolean =>
  charged && (outcome === "crashed" || outcome === "zombie") && failure?.class !== "rate_limited";

/** Exit codes by which a shell says that there was nothing to run. */
const CANNOT_RUN = new Set([126, 127]);

/** What an agent failed of that ended by itself; a limit that it named before counts where no error says more. */
export function classOfExit(attempt: Pick<AttemptState, "exit" | "lastError" | "health">): FailureClass {
  const { exit, lastError } = attempt;
  const told = classOfError(lastError);
  if (told !== null) return told;
  if (exit?.how !== "code") return "transient";
  if (exit.code !== 0 && limitBefore(attempt) !== null) return "rate_limited";
  return exit.code !== undefined && CANNOT_RUN.has(exit.code) ? "terminal" : "agent_failed";
}

/** Failures that differ only in counters, addresses and ids are the same failure. */
export const fingerprint = (text: string): string =>
  text
    .slice(0, 2_000)
    .replaceAll(/0x[0-9a-f]+|\b[0-9a-f]{7,}\b|\d+/gi, "#")
    .replaceAll(/\s+/g, " ")
    .slice(0, 200);

export const failureOf = (kind: FailureClass, text: string): Failure => ({
  class: kind,
  text,
  fingerprint: fingerprint(text),
});
