import { spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { MARK_VARIABLE, type SessionFolder } from "../session-folder.ts";
import { COPIER_SCRIPT } from "./copier-script.ts";
import type { Redactor } from "../../../model/text/redact.ts";

/** What is removed from what agents print, before it is on disk. */
export interface Sifting {
  /** For copiers: see `siftTable`. */
  readonly table: string;
  /** For what is written down of an agent by this process itself. */
  readonly redact: Redactor;
}

/** One per process, as the environment is whose secrets these are. Nothing is removed until it is known what. */
let current: Sifting = { table: "", redact: (text) => text };

export function siftBy(sifting: Sifting): void {
  current = sifting;
}

export const sifted: Redactor = (text) => current.redact(text);

/** For the environment of a keeper or a copier, which does not hand it on. */
export const siftVariable = (): Readonly<Record<string, string>> =>
  current.table === "" ? {} : { HOLDFAST_SIFT: current.table };

/** Idle polls of the spool between two looks for a copier. */
const LOOK_EACH = 10;
/** A session that begins or ends has none for a moment. */
const MISSED_MIN = 2;

/**
 * Starts another copier for a session whose own was killed while its agent works, so that the agent does not wait for
 * room in its pipe. It belongs to the session and not to the one that starts it. One too many does no harm.
 */
export function copierWatch(session: SessionFolder): () => void {
  let polls = 0;
  let missed = 0;
  return () => {
    polls += 1;
    if (polls % LOOK_EACH !== 0) return;
    missed = hasCopier(session) ? 0 : missed + 1;
    if (missed < MISSED_MIN) return;
    missed = 0;
    startCopier(session);
  };
}

/** A FIFO without a reader cannot be opened for writing. Where there is no FIFO at all, the agent writes to its spool. */
function hasCopier({ copying }: SessionFolder): boolean {
  try {
    closeSync(openSync(copying, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ENXIO");
  }
}

export function startCopier({ folder, mark }: SessionFolder): void {
  const copier = spawn("/bin/sh", ["-c", COPIER_SCRIPT, "holdfast-copier", folder], {
    cwd: "/",
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env["PATH"], [MARK_VARIABLE]: mark, ...siftVariable() },
  });
  // The next look shows whether there is one now.
  copier.once("error", () => undefined);
  copier.unref();
}
