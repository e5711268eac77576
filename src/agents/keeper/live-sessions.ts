import { readFileSync, statSync } from "node:fs";
import type { World } from "../../model/world.ts";
import type { EndOutcome } from "../agent-driver.ts";
import { endSession } from "./end-session.ts";
import { lookAround } from "./look-around.ts";
import { MARK_VARIABLE, readIdentity, sessionFolder, type SessionFolder } from "./session-folder.ts";
import { sessionMembers } from "./session-members.ts";
import { tailOutput } from "./spool/tail-output.ts";

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

/** Finds sessions by the marks that their processes bear, whatever is recorded of them. Looks only. */
function liveSessions(sessions: string): readonly LiveSession[] {
  const around = lookAround();
  if (around === "unknown") return [];
  const marks = new Set([...around.marks.values()].flat().filter((mark) => mark.startsWith(PREFIX)));
  return [...marks].flatMap((mark) => {
    const name = mark.slice(PREFIX.length, mark.lastIndexOf("@"));
    const folder = sessionFolder(sessions, name);
    // A session of the same name in another folder is another's.
    if (`${PREFIX}${folder.mark}` !== mark) return [];
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
