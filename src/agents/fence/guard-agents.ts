import { closeSync, constants, openSync, readSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { mayWork } from "../../model/host/permit.ts";
import type { World } from "../../model/world.ts";
import { fenceFolder, makeFence, namesIn, readPermit, type FenceFolder } from "./fence-folder.ts";
import { freezeSessions } from "./freeze-sessions.ts";
import { replaceGuard } from "./one-guard.ts";

const LOOK_MS = 100;
/** What is frozen already is looked at again so often: an agent may have begun a moment ago. */
const AGAIN_MS = 500;

export type GuardEnd =
  /** Nobody supervises agents here, and none is left. */
  | "done"
  /** The next guard has begun. */
  | "replaced";

/**
 * Freezes the agents of a host from the moment on at which nobody there may supervise them.
 *
 * States: watching, fencing, ended. It needs no store, so that it works when the host is cut off. Invariants:
 * 1. Agents work only while the supervisor or its sibling holds its lock of the store, and the last beat that the store
 *    has answered is younger than the permit's time. Otherwise every process of a guarded session is stopped, again and
 *    again: one that was started meanwhile is found by the next look.
 * 2. It never thaws anything; the supervisor of a session does, after a look at its lease.
 * 3. It ends when it has nothing to guard and nobody to wait for, or when the next guard has begun.
 */
export async function guardAgents(sessions: string, world: World & Steady, say: Say): Promise<GuardEnd> {
  const fence = fenceFolder(sessions);
  makeFence(fence);
  const isReplaced = replaceGuard(fence, world);
  const held = openSync(fence.held, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return await watch({ fence, held, world, say, isReplaced });
  } finally {
    closeSync(held);
  }
}

type Say = (text: string) => void;
type Steady = Required<Pick<World, "steady">>;

interface Watching {
  readonly fence: FenceFolder;
  readonly held: number;
  readonly world: World & Steady;
  readonly say: Say;
  readonly isReplaced: () => boolean;
}

async function watch({ fence, held, world, say, isReplaced }: Watching): Promise<GuardEnd> {
  for (let wasFree = true; ;) {
    if (isReplaced()) return "replaced";
    const isSupervised = hasWriter(held);
    const isFree = mayWork({ isSupervised, permit: readPermit(fence), now: world.steady() });
    if (!isFree) {
      const count = freezeSessions(fence, namesIn(fence.guarded), world);
      if (wasFree && count > 0) say(`${String(count)} processes of agents were frozen: ${why(isSupervised)}`);
      if (count === 0 && !isSupervised) return "done";
    }
    wasFree = isFree;
    await delay(isFree ? LOOK_MS : AGAIN_MS);
  }
}

const why = (isSupervised: boolean): string =>
  isSupervised
    ? "the store has not answered a beat of the supervisor for too long"
    : "neither a supervisor nor its sibling holds its lock of the store";

/** A FIFO without a writer is at its end; with one that says nothing there is nothing to read yet. */
function hasWriter(held: number): boolean {
  try {
    return readSync(held, Buffer.alloc(1), 0, 1, null) > 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return true;
    throw error;
  }
}
