import { hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../files/open-database.ts";
import { Fault } from "../../model/fault.ts";
import { defineMigrationFunctions, MIGRATIONS, SCHEMA_DIGEST } from "./migrations.ts";
import type { Row } from "../row-values.ts";
import { APPLICATION_ID } from "./store-inspection.ts";

const BUSY_MS = 5_000;
export const WAL_BYTES_KEPT_MAX = 64 * 1_024 * 1_024;
const SYNCHRONOUS_FULL = 2;

/** Throws if a store of that version is not whole. */
type CheckStore = (db: DatabaseSync, version: number) => void;
export type Connect = (file: string) => DatabaseSync;
export const connectFile: Connect = (file) => openDatabase(file, { timeout: BUSY_MS });

const pragma = (db: DatabaseSync, name: string): unknown => {
  const row: Row = db.prepare(`PRAGMA ${name}`).get() ?? {};
  return Object.values(row)[0];
};

export const pageSizeOf = (db: DatabaseSync): number => Number(pragma(db, "page_size"));

/** Writes a new, empty store; the caller puts the file in its place. */
export function initialiseStore(file: string): void {
  const db = connectFile(file);
  try {
    db.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA application_id = ${String(APPLICATION_ID)}`,
    );
    migrate(db, () => undefined);
    // Closing would do it too, but says nothing when it fails.
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
}

/**
 * Opens an existing store: durable by its settings, ours by its header, of our version by its schema, and whole by
 * what `check` knows of it; one of an earlier version is checked as such before it is brought to ours.
 */
export function openStore(file: string, connect: Connect, check: CheckStore): DatabaseSync {
  const db = connect(file);
  try {
    checkIdentity(db, file);
    makeDurable(db, file);
    migrate(db, check);
    check(db, MIGRATIONS.length);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function checkIdentity(db: DatabaseSync, file: string): void {
  const found = pragma(db, "application_id");
  if (found !== APPLICATION_ID)
    throw new Fault(
      "store_foreign",
      `${file} is a SQLite database of something else (application_id ${String(found)}, expected ${String(APPLICATION_ID)}); it was not touched — name another file with --store`,
      { retry: "after-human", details: { file } },
    );
  const version = pragma(db, "user_version");
  if (typeof version !== "number" || version > MIGRATIONS.length)
    throw new Fault(
      "store_version",
      `${file} has version ${String(version)}, and this Holdfast knows stores up to version ${String(MIGRATIONS.length)}; it was not touched — open it with the Holdfast that wrote it or a newer one`,
      { retry: "after-human", details: { file, version } },
    );
  checkSchema(db, file, version);
}

/** A changed byte in the schema must not change what statements mean. */
function checkSchema(db: DatabaseSync, file: string, version: number): void {
  if (version === MIGRATIONS.length && schemaDigest(db) === SCHEMA_DIGEST) return;
  const fresh = openDatabase(":memory:");
  try {
    defineMigrationFunctions(fresh);
    for (const step of MIGRATIONS.slice(0, version)) fresh.exec(step);
    if (schemaText(db) === schemaText(fresh)) return;
  } finally {
    fresh.close();
  }
  throw new Fault(
    "journal_damaged",
    `the tables of ${file} are not those of a store of version ${String(version)}; nothing was changed — restore the store from a copy`,
    { retry: "after-human", details: { file, version } },
  );
}

const schemaText = (db: DatabaseSync): string =>
  JSON.stringify(db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all());

export const schemaDigest = (db: DatabaseSync): string => hash("sha256", schemaText(db));

/** Set, and asserted: a driver or a file that says otherwise must not pass as durable. */
function makeDurable(db: DatabaseSync, file: string): void {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = ${String(WAL_BYTES_KEPT_MAX)}`);
  const [mode, synchronous] = [pragma(db, "journal_mode"), pragma(db, "synchronous")];
  if (mode !== "wal" || synchronous !== SYNCHRONOUS_FULL)
    throw new Fault(
      "store_unavailable",
      `${file} cannot be made durable: journal_mode is ${String(mode)} and synchronous ${String(synchronous)}, expected wal and ${String(SYNCHRONOUS_FULL)}; keep the store on a local disk`,
      { retry: "after-human", details: { file } },
    );
}

/** Takes the steps the store has not seen, all or none; several processes may try at once. */
function migrate(db: DatabaseSync, check: CheckStore): void {
  if (pragma(db, "user_version") === MIGRATIONS.length) return;
  defineMigrationFunctions(db);
  db.exec("BEGIN IMMEDIATE");
  const version = Number(pragma(db, "user_version"));
  if (version > 0) check(db, version);
  for (const step of MIGRATIONS.slice(version)) db.exec(step);
  db.exec(`PRAGMA user_version = ${String(MIGRATIONS.length)}; COMMIT`);
}
