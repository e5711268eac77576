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
