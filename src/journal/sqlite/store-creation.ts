import { chmodSync, closeSync, fsyncSync, linkSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { syncFolder } from "./mark/sync-folder.ts";

/**
 * Puts a new store in its place all at once: nobody ever sees a half-made one, and of two creators one wins.
 * The name of the draft is drawn anew, so that one left behind by a dead creator is in nobody's way.
 */
export function createStoreFile(
  file: string,
  world: World,
  initialise: (tempFile: string) => void,
): "created" | "already" {
  const draft = `${file}.${world.id("new")}`;
  try {
    initialise(draft);
    refuseUnfinished(draft);
    // Goals, tasks and agents' words are nobody else's business; SQLite gives its log and index the same mode.
    chmodSync(draft, 0o600);
    syncFile(draft);
    world.crashPoint("journal.create.before");
    if (!linked(draft, file)) return "already";
    syncFolder(dirname(file));
    world.crashPoint("journal.create.after");
    return "created";
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** Only the database itself is put in place: what is still in a log beside it would be missing. */
function refuseUnfinished(draft: string): void {
  const log = statSync(`${draft}-wal`, { throwIfNoEntry: false });
  if (log === undefined || log.size === 0) return;
  throw new Fault(
    "store_failed",
    `the new store ${draft} could not be finished: its log still holds ${String(log.size)} bytes; look at the disk, then start again`,
    { retry: "after-human", details: { file: draft } },
  );
}

/** A link is refused if the name is taken; a rename would replace what is there. */
function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function syncFile(file: string): void {
  const fd = openSync(file, "r+");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
