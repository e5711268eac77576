import type { ModelFault } from "../model/agent/model-script.ts";
import type { Failure, HttpError, JsonRecord } from "./vendor.ts";

const WORDS: Readonly<Record<number, readonly [status: string, message: string]>> = {
  400: ["INVALID_ARGUMENT", "Request contains an invalid argument."],
  401: ["UNAUTHENTICATED", "API key not valid. Please pass a valid API key."],
  403: ["PERMISSION_DENIED", "The caller does not have permission"],
  404: ["NOT_FOUND", "The model is not found for API version v1beta."],
  500: ["INTERNAL", "An internal error has occurred. Please retry."],
  503: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
  504: ["DEADLINE_EXCEEDED", "The request timed out. Please try again."],
  529: ["UNAVAILABLE", "Overloaded"],
};
const EXHAUSTED = "Resource has been exhausted (e.g. check quota).";
const QUOTA = "You exceeded your current quota, please check your plan and billing details.";
const USED_UP_S = 3_600;

export function geminiError(failure: Failure): HttpError {
  if (failure.kind === "invalid") return error(400, ["INVALID_ARGUMENT", failure.message]);
  const { fault } = failure;
  switch (fault.kind) {
    case "rate_limit":
      return error(429, ["RESOURCE_EXHAUSTED", EXHAUSTED], waiting(fault.retryAfterS));
    case "usage_limit":
      return error(429, ["RESOURCE_EXHAUSTED", QUOTA], [...perDay, ...waiting(resetOf(fault))]);
    case "quota":
      return error(429, ["RESOURCE_EXHAUSTED", QUOTA], perDay);
    case "context_overflow":
      return error(400, [
        "INVALID_ARGUMENT",
        "The input token count (1213462) exceeds the maximum number of tokens allowed (1048576).",
      ]);
    case "error": {
      const status = fault.status ?? 500;
      return error(status, WORDS[status] ?? ["UNKNOWN", "Error"]);
    }
  }
}

const resetOf = ({ resetsInS = USED_UP_S }: ModelFault): number => Math.ceil(resetsInS);

/** By the name of the quota Google's own agent distinguishes a used-up day from a busy minute. */
const perDay: readonly JsonRecord[] = [
  {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    violations: [
      {
        quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
        quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
      },
    ],
  },
];

const waiting = (seconds: number | undefined): readonly JsonRecord[] =>
  seconds === undefined
    ? []
    : [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${String(seconds)}s` }];

const error = (
  code: number,
  [status, message]: readonly [status: string, message: string],
  details: readonly JsonRecord[] = [],
): HttpError => ({
  status: code,
  body: { error: { code, message, status, ...(details.length === 0 ? {} : { details }) } },
});
