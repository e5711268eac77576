import { rmSync, statSync } from "node:fs";
import path from "node:path";
import type { SteadyTime, World } from "../../model/world.ts";
import { lookAround, type Surroundings } from "../keeper/look-around.ts";
import { keeperOf, readHelpers, sessionFolder, writeWhole } from "../keeper/session-folder.ts";
import { sessionMembers } from "../keeper/session-members.ts";
import { signalRow } from "../keeper/signal-row.ts";
import type { ProcessRow } from "../process-table.ts";
import { isFrozen, namesIn, type FenceFolder } from "./fence-folder.ts";

/** A process may have begun another one just before it was stopped: so often all of them are looked at again. */
const LOOKS = 3;

/**
 * Stops every process of the sessions but their keepers, which have to report how an agent ended. That a session is
 * frozen is on disk before its first process is stopped, so that the next supervisor of it can thaw it. Answers how
 * many processes there are.
 */
export function freezeSessions(fence: FenceFolder, names: readonly string[], world: Fencing): number {
  let count = 0;
  for (let look = 0; look < LOOKS && names.length > 0; look += 1) {
    const around = lookAround();
    if (around === "unknown") return count;
    const found = names.map((name) => [name, workersOf(fence, name, around)] as const);
    count = found.reduce((sum, [, rows]) => sum + rows.length, 0);
    for (const [name, rows] of found) if (rows.length > 0) freeze(fence, name, { rows, world });
  }
  return count;
}

/** The one that lets a session go on meanwhile removes what was noted: it is noted again after the last signal. */
function noteFrozen(fence: FenceFolder, name: string, world: Fencing): void {
  if (!isFrozen(fence, name))
    writeWhole(path.join(fence.frozen, name), JSON.stringify(world.steady()), world.id("draft"));
}

type Fencing = Pick<World, "id"> & { readonly steady: () => SteadyTime };

interface Freezing {
  readonly rows: readonly ProcessRow[];
  readonly world: Fencing;
}

function freeze(fence: FenceFolder, name: string, { rows, world }: Freezing): void {
  noteFrozen(fence, name, world);
  for (const row of rows) signalRow(row, "SIGSTOP");
  noteFrozen(fence, name, world);
}

/** Lets the processes of a session go on: also those that were stopped while this was done. */
export function thawSession(fence: FenceFolder, name: string): void {
  resume(fence, name);
  rmSync(path.join(fence.frozen, name), { force: true });
  resume(fence, name);
}

function resume(fence: FenceFolder, name: string): void {
  const around = lookAround();
  if (around !== "unknown") for (const row of workersOf(fence, name, around)) signalRow(row, "SIGCONT");
}

/** Whether anything of a session lives; null where nobody could look. */
export function livesOn(fence: FenceFolder, name: string): boolean | null {
  const around = lookAround();
  return around === "unknown" ? null : workersOf(fence, name, around).length > 0;
}

/** Guarded sessions that were noted so long ago and of which nothing lives. */
export function overSince(fence: FenceFolder, sinceMs: number): string[] {
  const isOld = (name: string): boolean => {
    const noted = statSync(path.join(fence.guarded, name), { throwIfNoEntry: false });
    return noted !== undefined && Date.now() - noted.mtimeMs > sinceMs;
  };
  const old = namesIn(fence.guarded).filter(isOld);
  const around = old.length === 0 ? "unknown" : lookAround();
  return around === "unknown" ? [] : old.filter((name) => workersOf(fence, name, around).length === 0);
}

function workersOf({ sessions }: FenceFolder, name: string, around: Surroundings): readonly ProcessRow[] {
  const session = sessionFolder(sessions, name);
  const keeper = keeperOf(session);
  const members = sessionMembers(session.mark, keeper, around);
  if (members === "unknown") return [];
  const helpers = readHelpers(session);
  return members.filter(({ pid, startedAt, parent }) => {
    const isKeeper = pid === keeper?.pid && startedAt === keeper.startedAt;
    return !isKeeper && !(parent === keeper?.pid && helpers.includes(pid));
  });
}
