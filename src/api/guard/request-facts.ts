import type { IncomingMessage } from "node:http";

/** What the guard rules by: the request's line and headers, exactly as they were sent. */
export interface RequestFacts {
  readonly method: string;
  /** As it stands in the request line. */
  readonly target: string;
  /** Every `Host` header that was sent. */
  readonly hosts: readonly string[];
  /** Every `Origin` header that was sent. */
  readonly origins: readonly string[];
  readonly fetchSite: string | null;
  readonly contentType: string | null;
  readonly acceptEncoding: string | null;
  readonly bearer: string | null;
  readonly cookies: ReadonlyMap<string, string>;
  /** How the request came in. */
  readonly transport: Transport;
  /** Whose failed logins are counted together. */
  readonly peer: string;
}

export type Transport = "tcp" | "socket";

const COOKIES_MAX = 50;
const BEARER = /^Bearer ([\w.~+/=-]{1,512})$/i;

export function requestFacts(request: IncomingMessage, transport: Transport): RequestFacts {
  const { method = "", url = "", headers } = request;
  return {
    method,
    target: url,
    hosts: allOf(request, "host"),
    origins: allOf(request, "origin"),
    fetchSite: single(headers["sec-fetch-site"]),
    contentType: headers["content-type"] ?? null,
    acceptEncoding: single(headers["accept-encoding"]),
    bearer: BEARER.exec(headers.authorization ?? "")?.[1] ?? null,
    cookies: cookiesOf(headers.cookie ?? ""),
    transport,
    peer: transport === "socket" ? "socket" : (request.socket.remoteAddress ?? "unknown"),
  };
}

/** Node keeps one of several equal headers; which of them a proxy in front would have taken is not known. */
const allOf = ({ rawHeaders }: IncomingMessage, name: string): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);

const single = (value: string | string[] | undefined): string | null =>
  typeof value === "string" ? value : null;

function cookiesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of text.split(";").slice(0, COOKIES_MAX)) {
    const at = part.indexOf("=");
    if (at > 0) found.set(part.slice(0, at).trim(), part.slice(at + 1).trim());
  }
  return found;
}
