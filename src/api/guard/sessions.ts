import { createHash, randomBytes } from "node:crypto";
import type { Identity } from "./roles.ts";

/**
 * Sessions of browsers, and the one-time codes that begin them.
 *
 * 1. A code is good once, for a minute. It is taken before the session is made: of two that present it, one is served.
 * 2. Both are kept as digests, in memory alone: they end with the server.
 * 3. A session is good as long as the token that it was begun with.
 */
export interface Sessions {
  /** A code that begins a session of this identity. */
  newCode(of: Identity): string;
  /** The session's secret; null for a code that was used, has expired or never was. */
  begin(code: string): string | null;
  identify(secret: string): Identity | null;
  end(secret: string): void;
}

const CODE_MS = 60_000;
const SESSION_MS = 7 * 24 * 3_600_000;
const MANY_MAX = 1_000;

interface Kept {
  readonly identity: Identity;
  readonly until: number;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const secret = (): string => randomBytes(32).toString("base64url");

export function sessions(steadyMs: () => number, isGood: (token: string) => boolean): Sessions {
  const codes = new Map<string, Kept>();
  const open = new Map<string, Kept>();
  const keep = (map: Map<string, Kept>, identity: Identity, forMs: number): string => {
    const made = secret();
    map.set(digest(made), { identity: { ...identity, how: "session" }, until: steadyMs() + forMs });
    if (map.size > MANY_MAX) for (const oldest of [...map.keys()].slice(0, 1)) map.delete(oldest);
    return made;
  };
  const look = (map: Map<string, Kept>, key: string): Identity | null => {
    const kept = map.get(key);
    if (kept === undefined || kept.until <= steadyMs() || !isGood(kept.identity.token)) return null;
    return kept.identity;
  };
  return {
    newCode: (of) => keep(codes, of, CODE_MS),
    begin(code) {
      const key = digest(code);
      const identity = look(codes, key);
      codes.delete(key);
      return identity === null ? null : keep(open, identity, SESSION_MS);
    },
    identify: (presented) => look(open, digest(presented)),
    end: (presented) => void open.delete(digest(presented)),
  };
}
