import { statSync, type Stats } from "node:fs";
import { Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { readMark } from "./mark/acknowledged-mark.ts";
import { diskFault } from "./disk-fault.ts";
import { sideFile } from "./mark/side-file.ts";
import { createStoreFile } from "./store-creation.ts";
import { inspectStoreFile } from "./store-inspection.ts";

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

/** No file, but traces of one: whatever happened to it, an empty store in its place would hide the loss. */
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
