import { closeSync, fsyncSync, openSync } from "node:fs";
import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { Fault } from "../model/fault.ts";
import { tooOldNode } from "../model/host/needed-node.ts";

/**
 * Node's own SQLite, looked for when a database is opened: an import would fail on a Node without it before anything
 * could say which Node is needed.
 */
export function openDatabase(file: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  const tooOld = tooOldNode(process.versions.node);
  if (tooOld !== null) throw new Fault("usage", tooOld);
  const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite");
  return new Database(file, options);
}

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
