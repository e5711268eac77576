import { chmodSync, closeSync, fsyncSync, linkSync, openSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { diskFault } from "./disk-fault.ts";
import { readMark, sideFile, syncFolder } from "./mark/acknowledged-mark.ts";
import { inspectStoreFile } from "./store-inspection.ts";
import { Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";

const CREATION_TRIES_MAX = 3;
const SAME_LOOKS_NEEDED = 3;
const LOOKS_MAX = 20;
const LOOK_PAUSE_MS = 2;

/**
 * Makes sure that there is a whole store of ours at `file` before SQLite opens it, and creates one only where
 * nothing is or was: SQLite takes an empty file for a new database, and a damaged log for a short one.
 * `initialise` writes a complete database into the file it is given and closes it.
 */
export function prepareStoreFile(file: string, world: World, initialise: (tempFile: string) => void): void {
  try {
    for (let tries = 0; tries < CREATION_TRIES_MAX; tries++) {
      const found = statSync(file, { throwIfNoEntry: false });
      if (found !== undefined) return checkStoreFile(file, found);
      refuseToReplace(file);
      if (createStoreFile(file, world, initialise) === "created") return;
    }
  } catch (error) {
    throw diskFault(error, "open the store", file);
  }
  throw new Fault("store_unavailable", `${file} is a link to nothing; make it lead to a store or remove it`, {
    retry: "after-human",
    details: { file },
  });
}

function checkStoreFile(file: string, found: Stats): void {
  if (!found.isFile()) {
    const seen = found.isDirectory() ? "a folder" : "no regular file";
    throw new Fault("store_foreign", `${file} is ${seen}; a store file was expected — name another file`, {
      retry: "after-human",
      details: { file },
    });
  }
  const damage = damageOfStoreFile(file);
  if (damage !== null) throw damage;
}

/** What is wrong with the bytes of an existing store, past SQLite; null if nothing is. */
export const damageOfStoreFile = (file: string): Fault | null => confirmed(() => inspectStoreFile(file));

/**
 * Another process may write the log or copy it into the database while we read, so one look proves nothing.
 * Damage stays as it is; a suspicion that changes with every look is a store at work.
 */
function confirmed(look: () => Fault | null): Fault | null {
  let suspected: Fault | null = null;
  let same = 0;
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    if (looks > 0) pause(LOOK_PAUSE_MS);
    const seen = look();
    if (seen === null) return null;
    same = seen.message === suspected?.message ? same + 1 : 1;
    suspected = seen;
    if (same === SAME_LOOKS_NEEDED) return suspected;
  }
  return null;
}

const pause = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

/** No file, but traces of one: no matter what happened to it, an empty store in its place would hide the loss. */
function refuseToReplace(file: string): void {
  const wal = sideFile(file, "-wal");
  const log = statSync(wal, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) {
    throw new Fault(
      "journal_damaged",
      `the store ${file} is gone, but its log ${wal} (${String(log.size)} bytes) is here; nothing was changed — put the store back beside it`,
      { retry: "after-human", details: { file, wal, bytes: log.size } },
    );
  }
  if (readMark(file).every(({ event, place }) => event === null && place === null)) return;
  const mark = sideFile(file, "-ack");
  throw new Fault(
    "journal_damaged",
    `the store ${file} is gone, but ${mark} says that events were acknowledged; nothing was changed — put the store back, or remove ${mark} to start with a new one`,
    { retry: "after-human", details: { file, mark } },
  );
}

/**
 * Puts a new store in its place all at once: nobody ever sees a half-made one, and of two creators one wins.
 * The name of the draft is drawn again, so that one left behind by a dead creator is in nobody's way.
 */
function createStoreFile(
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
