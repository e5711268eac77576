/** Trouble of a provider or of the way to it that passes: the call was refused or did not arrive. */
export interface ProviderTrouble {
  readonly kind: "limit" | "overloaded" | "network";
  /** How long the provider says to wait. */
  readonly waitMs?: number;
}

const LIMITED: ReadonlySet<string> = new Set([
  "rate_limit_error",
  "rate_limit_exceeded",
  "RESOURCE_EXHAUSTED",
  "RateLimitError",
]);
const OVERLOADED: ReadonlySet<string> = new Set(["overloaded_error", "overloaded", "UNAVAILABLE"]);
const OVERLOADED_STATUS: ReadonlySet<number> = new Set([502, 503, 504, 529]);
const NETWORK: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ETIMEDOUT",
  "EPIPE",
  "EAI_AGAIN",
  "ENETDOWN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "APIConnectionError",
  "APIConnectionTimeoutError",
]);
/** Money does not come by waiting, no matter what the status says. */
const HOPELESS: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_error",
  "billing_hard_limit_reached",
  "usage_limit_reached",
]);

const CAUSES_MAX = 5;

/** Known by status, code and type, as vendors' clients and Node give them; null for anything else. */
export function providerTrouble(error: unknown, depth = 0): ProviderTrouble | null {
  if (typeof error !== "object" || error === null || depth > CAUSES_MAX) return null;
  const words = wordsOf(error);
  if (words.some((word) => HOPELESS.has(word))) return null;
  const status = numberIn(error, "status") ?? numberIn(error, "statusCode");
  const waitMs = namedWaitMs(error);
  const wait = waitMs === undefined ? {} : { waitMs };
  if (status === 429 || words.some((word) => LIMITED.has(word))) return { kind: "limit", ...wait };
  if ((status !== undefined && OVERLOADED_STATUS.has(status)) || words.some((word) => OVERLOADED.has(word)))
    return { kind: "overloaded", ...wait };
  // What was answered did arrive.
  if (status === undefined && words.some((word) => NETWORK.has(word))) return { kind: "network" };
  return status === undefined ? providerTrouble(memberOf(error, "cause"), depth + 1) : null;
}

const memberOf = (from: unknown, name: string): unknown =>
  typeof from === "object" && from !== null ? Reflect.get(from, name) : undefined;

const numberIn = (from: object, name: string): number | undefined => {
  const value = memberOf(from, name);
  return typeof value === "number" ? value : undefined;
};

/** Code, type and name, of the error and of the provider's answer inside it. */
function wordsOf(error: object): string[] {
  const outer = memberOf(error, "error");
  const inner = memberOf(outer, "error") ?? outer;
  return [error, inner]
    .flatMap((one) => ["code", "type", "name"].map((name) => memberOf(one, name)))
    .filter((word) => typeof word === "string");
}

/** `retry-after` in seconds, or `retry-after-ms`, wherever the client keeps the headers. */
function namedWaitMs(error: object): number | undefined {
  const headers =
    memberOf(error, "headers") ??
    memberOf(error, "responseHeaders") ??
    memberOf(memberOf(error, "response"), "headers");
  const ms = Number(headerIn(headers, "retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const seconds = Number(headerIn(headers, "retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

function headerIn(headers: unknown, name: string): unknown {
  const get = memberOf(headers, "get");
  return typeof get === "function" ? (get.call(headers, name) as unknown) : memberOf(headers, name);
}
