import type { ErrorSignal, Signal } from "../../model/agent/signals.ts";
import { missingConversation } from "./common-signals.ts";
import { numberAt, parseJson, textAt, at } from "./json-fields.ts";
import { namedWait } from "./named-wait.ts";

export interface ErrorFacts {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
}

/**
 * What an agent says when its provider failed it. Given only text that an agent gave out as an error: never what a
 * model or a tool said, where the same words mean nothing.
 */
export function providerError(text: string, told: ErrorFacts, startedAt: number): readonly Signal[] {
  const error = errorSignal(text, told);
  if (isBrokenHistory(error.text)) return [missingConversation(error.text)];
  return isLimit(error)
    ? [{ kind: "rate_limit", text: error.text, ...namedWait(error.text, startedAt) }, error]
    : [error];
}

function errorSignal(text: string, told: ErrorFacts): ErrorSignal {
  const inside = factsInside(text);
  const status = told.status ?? inside.status ?? statusInWords(text);
  const code = told.code ?? inside.code;
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
  const body = start === -1 || end < start ? undefined : parseJson(text.slice(start, end + 1));
  const error = at(body, "error") ?? body;
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
