import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { EndOutcome } from "../agent-driver.ts";
import { endSession } from "./end-session.ts";
import { lookAround, marksOf } from "./look-around.ts";
import { MARK_VARIABLE, readIdentity, sessionFolder, type SessionFolder } from "./session-folder.ts";
import { sessionMembers } from "./session-members.ts";
import { tailOutput } from "./spool/tail-output.ts";
import { textDigest } from "../to-signal.ts";
import type { World } from "../../model/world.ts";

/** A session of which something runs on this host. */
export interface LiveSession {
  /** The name of its folder: its key, wherever that is safe as a name. */
  readonly session: string;
  readonly processes: readonly { readonly pid: number; readonly program: string }[];
  /** When its keeper began; null where that is not known. */
  readonly since: number | null;
  readonly lastOutput: { readonly at: number; readonly text: string } | null;
}

/** The sessions of one store on this host, as they are found and not as they are recorded. */
export interface Sessions {
  live(): readonly LiveSession[];
  end(session: string, graceMs: number): Promise<EndOutcome>;
}

export const sessionsAt = (world: World, folder: string): Sessions => ({
  live: () => liveSessions(folder),
  end: (session, graceMs) => endSession(world, sessionFolder(folder, session), graceMs),
});

const PREFIX = `${MARK_VARIABLE}=`;
const TEXT_CHARS_MAX = 200;

/** Finds sessions by the marks that their processes bear, no matter what is recorded of them. Looks only. */
function liveSessions(sessions: string): readonly LiveSession[] {
  if (!mayBear((mark) => folderOf(sessions, mark) !== null)) return [];
  const around = lookAround();
  if (around === "unknown") return [];
  const marks = new Set([...around.marks.values()].flat());
  return [...marks].flatMap((mark) => {
    const folder = folderOf(sessions, mark);
    if (folder === null) return [];
    const name = sessionOf(mark);
    const identity = readIdentity(folder);
    const keeper = identity.kind === "keeper" ? identity.keeper : undefined;
    const members = sessionMembers(folder.mark, keeper, around);
    if (members === "unknown" || members.length === 0) return [];
    const processes = members.map(({ pid }) => ({ pid, program: programOf(pid) }));
    return [
      {
        session: name,
        processes,
        since: timeOf(folder.identity),
        lastOutput: lastOutput(sessions, name, folder),
      },
    ];
  });
}

/**
 * Whether any other process bears a mark that fits. False only where it is certain: it costs half of a look around, and
 * on most machines nearly always answers what is asked.
 */
function mayBear(fits: (mark: string) => boolean): boolean {
  if (process.platform !== "linux") return true;
  const own = String(process.pid);
  try {
    const pids = readdirSync("/proc").filter((name) => /^[1-9]\d*$/.test(name) && name !== own);
    return pids.some((pid) => marksOf(Number(pid)).some(fits));
  } catch {
    return true;
  }
}

const sessionOf = (mark: string): string => mark.slice(PREFIX.length, mark.lastIndexOf("@"));

/** A session of the same name in another folder is another's. */
function folderOf(sessions: string, mark: string): SessionFolder | null {
  if (!mark.startsWith(PREFIX)) return null;
  const folder = sessionFolder(sessions, sessionOf(mark));
  return `${PREFIX}${folder.mark}` === mark ? folder : null;
}

const timeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;

function programOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${String(pid)}/cmdline`, "utf8")
      .split("\0")
      .join(" ")
      .trim();
    if (words.endsWith("holdfast-copier")) return "its copier";
    // A keeper is a shell with its whole script among its words.
    return /^\/bin\/sh -c .*holdfast-keeper/s.test(words) ? "its keeper" : words.slice(0, TEXT_CHARS_MAX);
  } catch {
    return "not known";
  }
}

function lastOutput(
  sessions: string,
  name: string,
  { out, terminal }: SessionFolder,
): LiveSession["lastOutput"] {
  const at = timeOf(terminal) ?? timeOf(out);
  if (at === null) return null;
  const tail = tailOutput(sessions, name);
  const line = [...tail.next(), ...tail.rest()].findLast(({ text }) => text.trim() !== "");
  return line === undefined ? null : { at, text: line.text.slice(0, TEXT_CHARS_MAX) };
}

/** A session of a store of which processes live on this host. */
interface LivingSession {
  readonly session: string;
  readonly pids: readonly number[];
}

/**
 * Every session of a store that has a living process here, whichever run, attempt or reviewer it belongs to, and no
 * matter what the journal says of it. Found by the mark that all processes of a session bear, and by the keepers' own
 * records where the system does not show marks.
 */
export function livingSessions(world: World, folder: string): readonly LivingSession[] | "unknown" {
  const around = lookAround();
  if (around === "unknown") return "unknown";
  const found = new Map<string, number[]>();
  const note = (session: string, pid: number): void => {
    found.set(session, [...new Set([...(found.get(session) ?? []), pid])]);
  };
  for (const [pid, marks] of around.marks)
    for (const mark of marks) {
      const session = sessionOfMark(mark, folder);
      if (session !== null) note(session, pid);
    }
  for (const session of around.marks.size > 0 ? [] : folders(folder)) {
    const reading = readIdentity(sessionFolder(folder, session));
    if (reading.kind === "keeper" && world.liveness(reading.keeper) === "alive")
      note(session, reading.keeper.pid);
  }
  return [...found].map(([session, pids]) => ({ session, pids }));
}

/** Ends one of them, politely and then firmly. */
export const endLiving = (
  world: World,
  folder: string,
  session: string,
  graceMs: number,
): Promise<EndOutcome> => endSession(world, sessionFolder(folder, session), graceMs);

/** The session of a mark `HOLDFAST_SESSION=name@digest`, if it is of this folder. */
export function sessionOfMark(mark: string, sessions: string): string | null {
  const [, name, digest] = new RegExp(`^${MARK_VARIABLE}=(.+)@([^@]+)$`).exec(mark) ?? [];
  if (name === undefined || digest !== textDigest(path.join(path.resolve(sessions), name))) return null;
  return name;
}

/** The sessions that have a folder there, whether anything of them lives or not. */
export function folders(sessions: string): string[] {
  try {
    return readdirSync(sessions, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
