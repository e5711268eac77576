import type { Signal } from "../../model/agent/signals.ts";
import { at, numberAt, textAt } from "../headless/json-fields.ts";
import { providerError, type ErrorFacts } from "../headless/provider-error.ts";

/** What a call of ours was refused with, in the words of the provider where they were passed on. */
export function errorText(error: unknown): string {
  const text =
    textAt(error, "data", "message") ?? textAt(error, "data", "details") ?? textAt(error, "message");
  return (text ?? "the agent gave an error without words").replace(/^Internal error: /, "");
}

/** Rate limits, missing credentials and overload are known by what adapters put beside the words. */
export const errorSignals = (error: unknown, startedAt: number): readonly Signal[] =>
  providerError(errorText(error), factsOf(error), startedAt);

const AUTHENTICATION_REQUIRED = -32_000;
const LIMITS: ReadonlySet<string> = new Set([
  "rate_limit",
  "usage_limit",
  "usageLimitExceeded",
  "rateLimitExceeded",
]);

function factsOf(error: unknown): ErrorFacts {
  const code = at(error, "code");
  const kind = textAt(error, "data", "errorKind") ?? textAt(error, "data", "codexErrorInfo");
  if (kind !== undefined && LIMITS.has(kind)) return { code: "rate_limit_error" };
  if (kind === "overloaded") return { code: "overloaded_error" };
  if (code === AUTHENTICATION_REQUIRED) return { code: "authentication_error" };
  const status = numberAt(error, "data", "status") ?? numberAt(error, "code");
  return status !== undefined && Number.isInteger(status) && status >= 400 && status < 600 ? { status } : {};
}
