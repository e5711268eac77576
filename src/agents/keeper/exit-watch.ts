import { constants } from "node:os";
import type { ExitSignal } from "../../model/signals.ts";
import type { World } from "../../model/world.ts";
import { probeStarted } from "./probe-session.ts";
import { readExitStatus, readIdentity, wasPrepared, type SessionFolder } from "./session-folder.ts";
import { spoolSize, type Spool, type SpoolSizes } from "./spool-tail.ts";

export interface Over {
  readonly exit: ExitSignal;
  /** Of the spools when the end was seen. */
  readonly sizes: SpoolSizes;
}

interface Watched {
  readonly world: World;
  readonly session: SessionFolder;
  readonly spools: readonly Spool[];
  /** False while the spools may still grow. */
  readonly settled?: () => boolean;
}

/** An exit status may be a moment behind the death it tells of, so one look without it proves nothing. */
const DEATHS_SEEN_MIN = 2;

/** Answers undefined until the agent is seen to be over, and the same from then on. */
export function exitWatch({ world, session, spools, settled }: Watched): () => Over | undefined {
  let deathsSeen = 0;
  let over: Over | undefined;
  return () => {
    if (over !== undefined) return over;
    const exit = settled?.() === false ? undefined : exitOf(world, session);
    deathsSeen = exit === undefined ? 0 : deathsSeen + 1;
    if (exit !== undefined && (exit.how !== "vanished" || deathsSeen >= DEATHS_SEEN_MIN))
      over = { exit, sizes: new Map(spools.map((spool) => [spool, spoolSize(session[spool])])) };
    return over;
  };
}

/** Undefined while the agent works or may be about to begin, and while it is unknown whether it does. */
function exitOf(world: World, session: SessionFolder): ExitSignal | undefined {
  if (readIdentity(session).kind === "none" && wasPrepared(session)) return undefined;
  const { kind } = probeStarted(world, session);
  if (kind === "alive" || kind === "unknown") return undefined;
  const status = readExitStatus(session);
  return status === undefined ? { kind: "exit", how: "vanished" } : exitOfStatus(status);
}

/** Nobody dies of these, so a status that seems to name one is a code: an agent that exits with 401 is told as 145. */
const HARMLESS: ReadonlySet<string> = new Set([
  "SIGCHLD",
  "SIGCONT",
  "SIGSTOP",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
  "SIGURG",
  "SIGWINCH",
  "SIGSTKFLT",
]);
const DEADLY = Object.entries(constants.signals).filter(([name]) => !HARMLESS.has(name));

/** A shell tells a death by signal as 128 plus its number, and cannot tell it from an exit with that code. */
export function exitOfStatus(status: number): ExitSignal {
  const signal = DEADLY.find(([, number]) => number === status - 128)?.[0];
  return signal === undefined
    ? { kind: "exit", how: "code", code: status }
    : { kind: "exit", how: "signal", signal };
}
