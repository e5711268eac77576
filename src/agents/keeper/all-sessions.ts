import { readdirSync } from "node:fs";
import path from "node:path";
import type { World } from "../../model/world.ts";
import type { EndOutcome } from "../agent-driver.ts";
import { textDigest } from "../text-digest.ts";
import { endSession } from "./end-session.ts";
import { lookAround } from "./look-around.ts";
import { MARK_VARIABLE, readIdentity, sessionFolder } from "./session-folder.ts";

/** A session of a store of which processes live on this host. */
export interface LivingSession {
  readonly session: string;
  readonly pids: readonly number[];
}

/**
 * Every session of a store that has a living process here, whichever run, attempt or reviewer it belongs to and whatever
 * the journal says of it. Found by the mark that all processes of a session bear, and by the keepers' own records where
 * the system does not show marks.
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
