import type { ExitSignal } from "../../model/signals.ts";
import type { World } from "../../model/world.ts";
import { exitOfStatus } from "./exit-of-status.ts";
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
  const found = probeStarted(world, session);
  if (found.kind === "alive" || found.kind === "unknown") return undefined;
  const status = readExitStatus(session);
  const exit: ExitSignal = status === undefined ? { kind: "exit", how: "vanished" } : exitOfStatus(status);
  return found.lost === undefined || exit.how === "code" ? exit : { ...exit, lost: found.lost };
}
