/** Why the guard lets a request go no further. These codes stand beside those of our faults in problem documents. */
export const GUARD_CODES = {
  host_refused: "the request names a host that this server does not have",
  origin_refused: "the request comes from a page of another origin, or does not say from which",
  unauthenticated: "the request carries no valid token or session",
  forbidden: "the role of the token or session does not suffice",
  too_many_requests: "too many logins failed, or too many requests are open",
  no_such_route: "there is no such route",
  method_refused: "the route has no such method",
  media_type: "the body is not declared as application/json",
  too_large: "the body is larger than the route takes",
  too_slow: "the body did not arrive in time",
} as const;

export type GuardCode = keyof typeof GUARD_CODES;

export interface Refusal {
  readonly status: number;
  readonly code: GuardCode;
  /** What was seen. */
  readonly detail: string;
  readonly expected: string;
  /** The command that helps, where there is one. */
  readonly command?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
