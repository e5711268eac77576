import { closeSync, constants, openSync } from "node:fs";
import { placeLost, type Loss, type World } from "../../model/world.ts";
import type { Finding } from "../agent-driver.ts";
import { pause } from "../pause.ts";
import { exitOfStatus } from "./exit-of-status.ts";
import { readExitStatus, readIdentity, wasPrepared, type SessionFolder } from "./session-folder.ts";
import { sessionMembers } from "./session-members.ts";

const SECOND_LOOK_MS = 100;

/** What can be said about the agent of a session, from evidence only. */
export async function probeSession(world: World, session: SessionFolder): Promise<Finding> {
  if (readIdentity(session).kind !== "none") return probeStarted(world, session);
  if (!wasPrepared(session)) return gone("no such session was started here");
  // A start that was cut short may have left a keeper that has not yet written who it is; it bears the mark already.
  if (probeMarked(session).kind === "gone") await pause(world, SECOND_LOOK_MS);
  const second = readIdentity(session).kind === "none" ? probeMarked(session) : probeStarted(world, session);
  return second.kind === "gone" ? gone("its start was cut short before an agent began") : second;
}

/** The same for a session whose identity is written: one look, without waiting. */
export function probeStarted(world: World, session: SessionFolder): Finding {
  const reading = readIdentity(session);
  if (reading.kind === "never") return gone("the session was ended before an agent began");
  if (reading.kind === "none") return gone("its identity was removed");
  if (reading.kind === "unreadable") return { kind: "unknown", detail: reading.text };
  const { keeper } = reading;
  const who = `pid ${String(keeper.pid)} on ${keeper.host}`;
  const liveness = world.liveness(keeper);
  if (liveness === "alive") return { kind: "alive", detail: who };
  const lost = placeLost(world.self, keeper) ?? undefined;
  const status = readExitStatus(session);
  // A machine that was started again has taken its keepers with it, no matter who may say so of their pids.
  if (liveness === "unknown" && lost !== "restart") {
    const held = lost === "container" ? isHeld(session) : undefined;
    // A keeper removes what it held before it reports how its agent ended.
    if (held === undefined && (lost === undefined || status === undefined))
      return { kind: "unknown", detail: `${who} could not be probed` };
    if (held === true) return { kind: "alive", detail: `${who}, in another container` };
  }
  // A keeper that was killed left no exit status, and its agent may work on without it.
  if (status === undefined) return lost === undefined ? probeMarked(session) : lostWith(lost);
  const cutShort = exitOfStatus(status).how === "signal";
  const detail = `${who} ended with status ${String(status)}`;
  return { kind: "over", detail, cutShort, ...(lost === undefined ? {} : { lost }) };
}

const lostWith = (lost: Loss): Finding => ({
  kind: "gone",
  lost,
  detail: lost === "restart" ? "the machine was restarted" : "its container is gone",
});

/** Whether anything of a session is left on this kernel, in whichever container; undefined where that is not known. */
function isHeld({ held }: SessionFolder): boolean | undefined {
  try {
    closeSync(openSync(held, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENXIO" ? false : undefined;
  }
}

function probeMarked({ mark }: SessionFolder): Finding {
  const members = sessionMembers(mark, undefined);
  if (members === "unknown") return { kind: "unknown", detail: "the process table could not be read" };
  if (members.length === 0) return gone("no process of the session is left, and none recorded how it ended");
  const detail = `without a keeper: pid ${members.map((row) => row.pid).join(", ")}`;
  return { kind: "alive", detail, keeperless: true };
}

const gone = (detail: string): Finding => ({ kind: "gone", detail });
