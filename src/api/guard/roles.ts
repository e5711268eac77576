/** What a token allows, from the least to the most; each includes those before it. */
export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const suffices = (has: Role, needed: Role): boolean => ROLES.indexOf(has) >= ROLES.indexOf(needed);

/** Who asks, as far as a token or a session shows. */
export interface Identity {
  /** `owner`: the token of the machine's owner; otherwise the id of a named token. */
  readonly token: string;
  readonly name: string;
  readonly role: Role;
  readonly how: "token" | "session";
}
