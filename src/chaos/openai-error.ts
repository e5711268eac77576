import type { ModelFault } from "../model/agent/model-script.ts";
import type { Failure, HttpError } from "./vendor.ts";

const WORDS: Readonly<Record<number, readonly [type: string, message: string, code: string | null]>> = {
  401: [
    "invalid_request_error",
    "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.",
    "invalid_api_key",
  ],
  403: ["invalid_request_error", "Project does not have access to this model", "model_not_found"],
  404: [
    "invalid_request_error",
    "The model does not exist or you do not have access to it.",
    "model_not_found",
  ],
  500: ["server_error", "The server had an error while processing your request. Sorry about that!", null],
  503: ["server_error", "The server is currently overloaded with other requests. Sorry about that!", null],
  529: ["server_error", "Overloaded", null],
};
const USED_UP_S = 3_600;

/** OpenAI's errors, for both of its interfaces. */
export function openaiError(failure: Failure): HttpError {
  if (failure.kind === "invalid") return error(400, ["invalid_request_error", failure.message, null]);
  const { fault, nowMs } = failure;
  switch (fault.kind) {
    case "rate_limit":
      return rateLimit(fault);
    case "usage_limit":
      return usageLimit(fault, nowMs);
    case "quota":
      return error(429, [
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
        "insufficient_quota",
      ]);
    case "context_overflow":
      return error(400, [
        "invalid_request_error",
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 213462 tokens. Please reduce the length of the messages.",
        "context_length_exceeded",
      ]);
    case "error": {
      const status = fault.status ?? 500;
      return error(status, WORDS[status] ?? ["server_error", "Error", null]);
    }
  }
}

function rateLimit({ retryAfterS }: ModelFault): HttpError {
  const wait = retryAfterS === undefined ? "" : ` Please try again in ${String(retryAfterS)}s.`;
  return {
    ...error(429, ["requests", `Rate limit reached for requests.${wait}`, "rate_limit_exceeded"]),
    headers: retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) },
  };
}

/** As a used-up plan is reported to OpenAI's own agent: the reset as a time and as seconds from now. */
function usageLimit({ resetsInS = USED_UP_S }: ModelFault, nowMs: number): HttpError {
  const seconds = Math.ceil(resetsInS);
  return {
    status: 429,
    headers: {
      "retry-after": String(seconds),
      "x-codex-primary-used-percent": "100.0",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-after-seconds": String(seconds),
    },
    body: {
      error: {
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        plan_type: "plus",
        resets_at: Math.ceil(nowMs / 1_000) + seconds,
        resets_in_seconds: seconds,
      },
    },
  };
}

const error = (
  status: number,
  [type, message, code]: readonly [type: string, message: string, code: string | null],
): HttpError => ({ status, body: { error: { message, type, param: null, code } } });
