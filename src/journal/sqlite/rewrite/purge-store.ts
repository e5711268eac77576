import { closeSync, openSync, readSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { Fault } from "../../../model/fault.ts";
import { countTexts } from "../../../files/mask-file.ts";
import type { FileUse } from "../mark/files-in-use.ts";
import { integer } from "../../row-values.ts";
import { sideFile } from "../mark/acknowledged-mark.ts";

/** Each waits for other connections as long as any statement does. */
const TRIES_MAX = 6;

/**
 * Writes the whole file again from what it holds, moves that out of the log, and cuts the log to nothing. What was
 * replaced or removed before stands in no unused part of either. A process that dies in between leaves a whole store,
 * with old bytes in it or in its log: the same order again removes them.
 */
export function purgeStore(db: DatabaseSync, file: string): void {
  db.exec("VACUUM");
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const row = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
    if (integer(row, "busy") === 0) return;
  }
  throw new Fault(
    "store_busy",
    `the log of ${file} cannot be emptied: another process reads the store all the time; end it (\`holdfast down\`) and ask again`,
    { retry: "later", details: { file } },
  );
}

/** Moves the log into the store and cuts it to nothing, unless somebody reads it just now: the next time will do. */
export const emptyLog = (db: DatabaseSync): void => db.exec("PRAGMA wal_checkpoint(TRUNCATE)");

/** How often texts stand in the bytes of the store and its log. */
export function tracesIn(file: string, using: FileUse, texts: readonly string[]): number {
  const inStore = countTexts((into, at) => using.read(into, at), texts);
  return inStore + inLog(sideFile(file, "-wal"), texts);
}

/** SQLite keeps no lock on its log, so that closing it drops none. */
function inLog(log: string, texts: readonly string[]): number {
  let fd: number;
  try {
    fd = openSync(log, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
  try {
    return countTexts((into, at) => readSync(fd, into, 0, into.length, at), texts);
  } finally {
    closeSync(fd);
  }
}
