import type { ServerResponse } from "node:http";
import { GUARD_CODES, type Refusal } from "../guard/refusal.ts";
import { SECURITY_HEADERS } from "../guard/security-headers.ts";
import type { HandlerAnswer } from "../routes/define-route.ts";
import { type Fault, FAULT_CODES, type FaultCode } from "../../model/fault.ts";

/** RFC 9457, with our fault code, what was expected, and the command that helps. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly expected?: string;
  readonly command?: string;
  readonly details?: unknown;
}

/** Exhaustive by type: a new fault code does not compile without its status. */
const STATUS_OF_FAULT: Readonly<Record<FaultCode, number>> = {
  usage: 400,
  config_invalid: 422,
  not_found: 404,
  untrusted: 409,
  refused: 409,
  file_refused: 422,
  store_unavailable: 503,
  store_foreign: 503,
  store_truncated: 503,
  store_version: 503,
  store_gone: 503,
  store_full: 503,
  store_readonly: 503,
  store_failed: 503,
  store_busy: 503,
  journal_damaged: 500,
  event_unknown: 500,
  agent_missing: 409,
  agent_failed: 500,
  supervisor_failed: 500,
  diverged: 409,
  closed: 503,
  cancelled: 409,
  budget_exhausted: 409,
  broken_promise: 500,
};

const typeOf = (code: string): string => `urn:holdfast:${code}`;

export function faultProblem({ code, message, details }: Fault): Problem {
  const command = commandIn(message, details);
  // What is expected stands at the end; a reason before it may use the word as well.
  const expected = [...message.matchAll(/\bexpected ([^;\n]*)/gi)].at(-1)?.[1];
  return {
    type: typeOf(code),
    title: FAULT_CODES[code],
    status: STATUS_OF_FAULT[code],
    detail: message,
    code,
    ...(expected === undefined ? {} : { expected }),
    ...(command === undefined ? {} : { command }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}

/** As people's text names it: quoted, or behind the last colon. */
function commandIn(message: string, details: Fault["details"]): string | undefined {
  const { command } = details;
  if (typeof command === "string") return command;
  return (/`(holdfast [^`\n]*)`/.exec(message) ?? /: (holdfast [^`\n:;]*)$/.exec(message))?.[1];
}

export const refusalProblem = ({ status, code, detail, expected, command }: Refusal): Problem => ({
  type: typeOf(code),
  title: GUARD_CODES[code],
  status,
  detail,
  code,
  expected,
  ...(command === undefined ? {} : { command }),
});

/** A reader that has not taken an answer by then is cut off. */
const READ_MS = 60_000;

interface Head {
  readonly status: number;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** How the command would have ended: for who prints it as the command line does. */
const EXIT_HEADER = "holdfast-exit-code";

export function send(
  response: ServerResponse,
  { status, type, headers = {} }: Head,
  body: string | Buffer,
): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    "content-type": type,
    "content-length": String(bytes.length),
    ...(headers as Record<string, string>),
  });
  const timer = setTimeout(() => response.destroy(), READ_MS);
  response.once("close", () => clearTimeout(timer));
  response.end(bytes);
}

export function sendAnswer(response: ServerResponse, answer: HandlerAnswer): void {
  if (answer.kind === "taken") return;
  const exit = answer.exitCode === undefined ? {} : { [EXIT_HEADER]: String(answer.exitCode) };
  if (answer.kind === "document") {
    const type = answer.type ?? "application/json; charset=utf-8";
    const head = { status: answer.status ?? 200, type, headers: exit };
    return send(response, head, `${JSON.stringify(answer.document)}\n`);
  }
  const { text, type = "text/plain; charset=utf-8" } = answer;
  return send(response, { status: 200, type, headers: exit }, text);
}

/** `close`: what is still to come of the request is not read. */
export function sendProblem(
  response: ServerResponse,
  problem: Problem,
  {
    close = false,
    headers = {},
  }: { readonly close?: boolean; readonly headers?: Readonly<Record<string, string>> } = {},
): void {
  const more = close ? { ...headers, connection: "close" } : headers;
  send(
    response,
    { status: problem.status, type: "application/problem+json", headers: more },
    `${JSON.stringify(problem)}\n`,
  );
}
