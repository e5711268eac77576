import type { ModelFault } from "../model/agent/model-script.ts";
import type { Failure, HttpError } from "./vendor.ts";

/** The types of Anthropic's errors by status. */
const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  503: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};
const WORDS: Readonly<Record<number, string>> = {
  401: "invalid x-api-key",
  403: "Your API key does not have permission to use the specified resource",
  404: "model: not_found",
  413: "Request exceeds the maximum size",
  500: "Internal server error",
  503: "Service unavailable",
  504: "Request timed out",
  529: "Overloaded",
};
const RATE_LIMITED = "This request would exceed your account's rate limit. Please try again later.";
const USED_UP_S = 3_600;

export function anthropicError(failure: Failure): HttpError {
  if (failure.kind === "invalid") return error(400, failure.message);
  const { fault, nowMs } = failure;
  switch (fault.kind) {
    case "rate_limit":
      return error(429, RATE_LIMITED, retryAfter(fault));
    case "usage_limit":
      return error(429, RATE_LIMITED, usedUp(fault, nowMs));
    case "quota":
      return error(
        400,
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      );
    case "context_overflow":
      return error(400, "prompt is too long: 213462 tokens > 200000 maximum");
    case "error":
      return error(fault.status ?? 500, WORDS[fault.status ?? 500] ?? "Error");
  }
}

/** By these headers Anthropic's own agent distinguishes a used-up plan from a burst, and when the plan opens again. */
function usedUp({ resetsInS = USED_UP_S }: ModelFault, nowMs: number): Readonly<Record<string, string>> {
  const reset = String(Math.ceil(nowMs / 1_000 + resetsInS));
  return {
    "retry-after": String(Math.ceil(resetsInS)),
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": reset,
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
    "anthropic-ratelimit-unified-5h-status": "rejected",
    "anthropic-ratelimit-unified-5h-reset": reset,
    "anthropic-ratelimit-unified-5h-utilization": "1",
    "anthropic-ratelimit-unified-overage-status": "rejected",
  };
}

const retryAfter = ({ retryAfterS }: ModelFault): Readonly<Record<string, string>> =>
  retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) };

const error = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpError => ({
  status,
  headers,
  body: { type: "error", error: { type: TYPES[status] ?? "api_error", message }, request_id: "req_scripted" },
});
