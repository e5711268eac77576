import type { ServerResponse } from "node:http";
import { SECURITY_HEADERS } from "../guard/security-headers.ts";
import type { HandlerAnswer } from "../routes/define-route.ts";
import type { Problem } from "./problem.ts";

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
