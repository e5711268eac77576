import { type Addresses, checkCookieUse, checkHost, checkOrigin } from "./check-origin.ts";
import type { FailedLogins } from "./failed-logins.ts";
import type { Refusal } from "./refusal.ts";
import type { RequestFacts } from "./request-facts.ts";
import { type Identity, type Role, suffices } from "./roles.ts";
import type { Sessions } from "./sessions.ts";
import type { TokenStore } from "./token-store.ts";

/** What the guard knows of the route that a request is for. */
export interface GuardedRoute {
  /** Null: anybody may ask. */
  readonly role: Role | null;
  readonly isWrite: boolean;
}

export interface Guard {
  readonly addresses: Addresses;
  readonly cookie: string;
  readonly tokens: Pick<TokenStore, "identify">;
  readonly sessions: Pick<Sessions, "identify">;
  readonly failed: FailedLogins;
}

export type Admission =
  | { readonly kind: "admitted"; readonly identity: Identity | null }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/**
 * Rules on a request by its line and headers alone, before its body is read and before any handler runs. The order is
 * part of the rule: where it is addressed, where it comes from, who asks, whether they may, and what the body is.
 */
export function admit(guard: Guard, facts: RequestFacts, route: GuardedRoute | Refusal): Admission {
  const astray = checkHost(facts, guard.addresses) ?? checkOrigin(facts, guard.addresses);
  if (astray !== null) return refused(astray);
  if (!("status" in route) && route.role === null) return { kind: "admitted", identity: null };
  const identity = identify(guard, facts);
  if (identity === null) return refused(unknownCaller(guard, facts));
  if (identity.how === "session") {
    const refusal = checkCookieUse(facts, facts.method !== "GET" && facts.method !== "HEAD");
    if (refusal !== null) return refused(refusal);
  }
  // Only those who may ask at all learn which routes there are.
  if ("status" in route) return refused(route);
  if (route.role !== null && !suffices(identity.role, route.role)) return refused(weak(identity, route.role));
  const content = route.isWrite ? checkContentType(facts.contentType) : null;
  return content === null ? { kind: "admitted", identity } : refused(content);
}

const refused = (refusal: Refusal): Admission => ({ kind: "refused", refusal });

/** A bearer token that is wrong is not made good by a cookie. */
function identify({ tokens, sessions, cookie }: Guard, { bearer, cookies }: RequestFacts): Identity | null {
  if (bearer !== null) return tokens.identify(bearer);
  const session = cookies.get(cookie);
  return session === undefined ? null : sessions.identify(session);
}

function unknownCaller({ failed, cookie }: Guard, { bearer, cookies, peer }: RequestFacts): Refusal {
  const tried = bearer !== null || cookies.has(cookie);
  const waitMs = tried ? failed.failed(peer) : 0;
  if (waitMs > 0)
    return {
      status: 429,
      code: "too_many_requests",
      detail: "too many logins failed",
      expected: `a valid token, or a pause of ${String(Math.ceil(waitMs / 1_000))} s`,
      headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) },
    };
  return {
    status: 401,
    code: "unauthenticated",
    detail: tried
      ? "the token or session is not valid, or no longer"
      : "the request carries no token and no session",
    expected: "Authorization: Bearer TOKEN, or a session begun with a login URL",
    command: "holdfast dashboard",
    headers: { "www-authenticate": 'Bearer realm="holdfast"' },
  };
}

const weak = ({ name, role }: Identity, needed: Role): Refusal => ({
  status: 403,
  code: "forbidden",
  detail: `${name} is ${role}`,
  expected: `the role ${needed}`,
  command: `holdfast token create NAME --role ${needed}`,
});

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;

/** Forms and plain text can be sent by any page without being asked; JSON cannot (T2). */
function checkContentType(contentType: string | null): Refusal | null {
  if (contentType !== null && JSON_TYPE.test(contentType)) return null;
  return {
    status: 415,
    code: "media_type",
    detail: `Content-Type is ${contentType === null ? "missing" : JSON.stringify(contentType.slice(0, 100))}`,
    expected: "Content-Type: application/json",
  };
}
