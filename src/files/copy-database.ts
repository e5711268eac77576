import { closeSync, fsyncSync, openSync } from "node:fs";
import { openDatabase } from "./open-database.ts";

/** All pages at one stroke: others may write meanwhile, and the copy is of one moment. */
const PAGES_AT_ONCE = 2 ** 30;
const BUSY_MS = 5_000;

/** Copies a SQLite database that others may be writing to; what is copied is of one moment, and on disk. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const { backup } = process.getBuiltinModule("node:sqlite");
  const db = openDatabase(from, { readOnly: true, timeout: BUSY_MS });
  try {
    await backup(db, to, { rate: PAGES_AT_ONCE });
  } finally {
    db.close();
  }
  const descriptor = openSync(to, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
