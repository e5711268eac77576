import type { Refusal } from "./refusal.ts";
import type { RequestFacts } from "./request-facts.ts";

/** Where this server is found: the exact values of `Host` and `Origin` that it answers to. */
export interface Addresses {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

/** Over a Unix socket there is no address; programs send this name. */
export const SOCKET_HOST = "localhost";

/** A name that leads here by DNS is not enough: the page that used it would be of another origin (T1). */
export function checkHost({ hosts, target, transport }: RequestFacts, addresses: Addresses): Refusal | null {
  const [host, ...more] = hosts;
  const known = transport === "socket" ? new Set([SOCKET_HOST]) : addresses.hosts;
  const isKnown = host !== undefined && more.length === 0 && known.has(host);
  if (isKnown && target.startsWith("/") && !target.startsWith("//")) return null;
  const seen = isKnown
    ? `the request target ${short(target)}`
    : `Host: ${hosts.map(short).join(", ") || "none"}`;
  return {
    status: 421,
    code: "host_refused",
    detail: `${seen} is not this server`,
    expected: `Host: ${[...known].join(" or ")}, and a target that begins with /`,
  };
}

/**
 * A page of another origin is refused no matter what it carries. Browsers name the origin of every write, and for reads
 * of the same origin say so in `Sec-Fetch-Site`; programs send neither, and must carry a bearer token (T2).
 */
export function checkOrigin(facts: RequestFacts, addresses: Addresses): Refusal | null {
  const [origin, ...more] = facts.origins;
  if (origin !== undefined)
    return more.length === 0 && addresses.origins.has(origin) ? null : foreign(`Origin: ${short(origin)}`);
  const { fetchSite } = facts;
  if (fetchSite !== null && fetchSite !== "same-origin" && fetchSite !== "none")
    return foreign(`Sec-Fetch-Site: ${short(fetchSite)}`);
  return null;
}

/** A cookie alone does not say that the person wanted this request. */
export function checkCookieUse(facts: RequestFacts, isWrite: boolean): Refusal | null {
  if (facts.origins.length > 0) return null;
  if (!isWrite && facts.fetchSite === "same-origin") return null;
  return foreign(isWrite ? "a write by cookie without Origin" : "a read by cookie without Sec-Fetch-Site");
}

const foreign = (seen: string): Refusal => ({
  status: 403,
  code: "origin_refused",
  detail: `${seen} is refused`,
  expected: "a request of this server's own pages, or an Authorization: Bearer token and no Origin",
});

const SHOWN_CHARS = 100;
const short = (text: string): string => JSON.stringify(text.slice(0, SHOWN_CHARS));
