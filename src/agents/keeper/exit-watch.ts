import type { ExitSignal } from "../../model/agent/signals.ts";
import { elapsedMs, type World } from "../../model/world.ts";
import { exitOfStatus } from "./exit-of-status.ts";
import { probeStarted } from "./probe-session.ts";
import { readExitStatus, readIdentity, wasPrepared, type SessionFolder } from "./session-folder.ts";
import { spoolSize, type Spool, type SpoolSizes } from "./spool/spool-tail.ts";

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

/** An exit status may be a moment behind the death it reports, so one look without it proves nothing. */
const DEATHS_SEEN_MIN = 2;

/** An agent whose keeper is gone is found by a look at all processes, and that only so often. */
const KEEPERLESS_APART_MS = 1_000;

/** Answers undefined until the agent is seen to be over, and the same from then on. */
export function exitWatch({ world, session, spools, settled }: Watched): () => Over | undefined {
  let deathsSeen = 0;
  let over: Over | undefined;
  let lookAt = -Infinity;
  return () => {
    if (over !== undefined) return over;
    if (elapsedMs(world) < lookAt) return undefined;
    const found = settled?.() === false ? undefined : exitOf(world, session);
    if (found === "keeperless") lookAt = elapsedMs(world) + KEEPERLESS_APART_MS;
    const exit = found === "keeperless" ? undefined : found;
    deathsSeen = exit === undefined ? 0 : deathsSeen + 1;
    if (exit !== undefined && (exit.how !== "vanished" || deathsSeen >= DEATHS_SEEN_MIN))
      over = { exit, sizes: new Map(spools.map((spool) => [spool, spoolSize(session[spool])])) };
    return over;
  };
}

/** Undefined while the agent works or may be about to begin, and while it is unknown whether it does. */
function exitOf(world: World, session: SessionFolder): ExitSignal | "keeperless" | undefined {
  if (readIdentity(session).kind === "none" && wasPrepared(session)) return undefined;
  const found = probeStarted(world, session);
  if (found.kind === "alive" && found.keeperless === true) return "keeperless";
  if (found.kind === "alive" || found.kind === "unknown") return undefined;
  const status = readExitStatus(session);
  const exit: ExitSignal = status === undefined ? { kind: "exit", how: "vanished" } : exitOfStatus(status);
  return found.lost === undefined || exit.how === "code" ? exit : { ...exit, lost: found.lost };
}
