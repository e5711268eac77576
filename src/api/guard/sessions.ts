import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { type Identity, ROLES } from "./roles.ts";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";

/**
 * Sessions of browsers, and the one-time codes that begin them.
 *
 * 1. A code is good once, for a minute. It is taken before the session is made: of two that present it, one is served.
 *    Codes are kept in memory alone: they end with the server.
 * 2. Of both only digests are kept, of 256 random bits each.
 * 3. A session outlives the server, so that open pages are live again after it was started again; it is good for seven
 *    days, and no longer than the token that it was begun with.
 */
export interface Sessions {
  /** A code that begins a session of this identity. */
  newCode(of: Identity): string;
  /** The session's secret; null for a code that was used, has expired or never was. */
  begin(code: string): string | null;
  identify(secret: string): Identity | null;
  end(secret: string): void;
}

interface SessionOrder {
  readonly steadyMs: () => number;
  /** By the wall clock, which goes on while no server lives. */
  readonly now: () => number;
  readonly isGood: (token: string) => boolean;
  readonly file: SessionFile;
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

function keep(map: Map<string, Kept>, kept: Kept): string {
  const made = secret();
  map.set(digest(made), kept);
  if (map.size > MANY_MAX) for (const oldest of [...map.keys()].slice(0, 1)) map.delete(oldest);
  return made;
}

export function sessions({ steadyMs, now, isGood, file }: SessionOrder): Sessions {
  const codes = new Map<string, Kept>();
  const open = new Map<string, Kept>();
  for (const { digest: key, until, ...identity } of file.read())
    open.set(key, { identity: { ...identity, how: "session" }, until });
  const look = (map: Map<string, Kept>, key: string, at: number): Identity | null => {
    const kept = map.get(key);
    if (kept === undefined || kept.until <= at || !isGood(kept.identity.token)) return null;
    return kept.identity;
  };
  /** A clock that was set back makes no session last longer. */
  const lookSession = (key: string): Identity | null =>
    (open.get(key)?.until ?? 0) > now() + SESSION_MS ? null : look(open, key, now());
  const store = (): void =>
    file.write(
      [...open]
        .filter(([key]) => lookSession(key) !== null)
        .map(
          ([
            key,
            {
              identity: { token, name, role },
              until,
            },
          ]) => ({ digest: key, token, name, role, until }),
        ),
    );
  return {
    newCode: (of) => keep(codes, { identity: { ...of, how: "session" }, until: steadyMs() + CODE_MS }),
    begin(code) {
      const key = digest(code);
      const identity = look(codes, key, steadyMs());
      codes.delete(key);
      if (identity === null) return null;
      const made = keep(open, { identity, until: now() + SESSION_MS });
      store();
      return made;
    },
    identify: (presented) => lookSession(digest(presented)),
    end(presented) {
      if (open.delete(digest(presented))) store();
    },
  };
}

const sessionSchema = z.object({
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  token: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  until: z.number(),
});
export type KeptSession = z.infer<typeof sessionSchema>;
const fileSchema = z.object({ version: z.literal(1), sessions: z.array(sessionSchema).max(1_000) });

const FILE_BYTES_MAX = 1024 * 1024;

/** Where the sessions of one server are kept between two of its lives. */
interface SessionFile {
  read(): readonly KeptSession[];
  write(sessions: readonly KeptSession[]): void;
}

export const sessionFile = (file: string): SessionFile => ({
  read() {
    const text = plainTextIfAny(file, { bytesMax: FILE_BYTES_MAX });
    if (text === undefined) return [];
    try {
      return fileSchema.parse(JSON.parse(text)).sessions;
    } catch {
      // People log in again; nothing else is lost.
      return [];
    }
  },
  write: (sessions) => replaceFile(file, `${JSON.stringify({ version: 1, sessions })}\n`),
});
