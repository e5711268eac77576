import { createHash, randomBytes } from "node:crypto";
import type { Identity } from "../guard/roles.ts";

/** What a ticket admits to: one connection to the terminal of one attempt, for whom it was made out. */
export interface Admitted {
  readonly identity: Identity;
  readonly run: string;
  readonly attempt: string;
}

/**
 * Tickets for terminals. A browser sends cookies with every WebSocket that any page opens, so that a connection needs
 * something that only our own page can have asked for. Each is good once, for half a minute, and kept as a digest.
 */
export interface Tickets {
  make(of: Admitted): string;
  /** Null for one that was used, has expired, never was, or is another's. */
  take(ticket: string, identity: Identity): Admitted | null;
}

const TICKET_MS = 30_000;
const TICKETS_MAX = 1_000;

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

export function tickets(steadyMs: () => number): Tickets {
  const open = new Map<string, { readonly of: Admitted; readonly until: number }>();
  return {
    make(of) {
      const ticket = randomBytes(32).toString("base64url");
      open.set(digest(ticket), { of, until: steadyMs() + TICKET_MS });
      const [oldest] = open.keys();
      if (open.size > TICKETS_MAX && oldest !== undefined) open.delete(oldest);
      return ticket;
    },
    take(ticket, { token }) {
      const key = digest(ticket);
      const kept = open.get(key);
      open.delete(key);
      if (kept === undefined || kept.until <= steadyMs() || kept.of.identity.token !== token) return null;
      return kept.of;
    },
  };
}
