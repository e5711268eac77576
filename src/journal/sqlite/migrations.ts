import type { DatabaseSync } from "node:sqlite";
import { sealOf } from "../seal.ts";
import { sealOfHead } from "./rows/run-rows.ts";

/**
 * The schema, step by step. Rule of change: append only. A step once released is never edited; the store's
 * `user_version` is the number of steps it has seen.
 *
 * `events` is an ordinary rowid table: WITHOUT ROWID costs 4.7 times the bytes at 1 KB of data. Its key is
 * `run_key << 32 | seq`, which keeps a run together and needs no index; behind the last event of each run stands its
 * end, a row of no type that names that event (see `event-rows.ts`). So an append changes one page (decision 7).
 * What rarely changes is apart, in `runs`, with a goal of any length kept last, so that reading the columns before it
 * never touches its overflow pages.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE runs (
    run_key INTEGER PRIMARY KEY,
    run TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    wake_at INTEGER,
    created_at INTEGER NOT NULL,
    seal TEXT NOT NULL,
    goal TEXT NOT NULL
  ) STRICT;
  CREATE TABLE heads (
    run_key INTEGER PRIMARY KEY REFERENCES runs (run_key),
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    position INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    seal TEXT NOT NULL
  ) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    run_key INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    hash BLOB NOT NULL,
    data TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_of_run ON events (run_key, seq);
  CREATE TABLE leases (
    address TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    owner TEXT,
    host TEXT,
    pid INTEGER,
    started_at TEXT,
    seal TEXT NOT NULL
  ) STRICT;
  CREATE INDEX leases_of_owner ON leases (owner) WHERE owner IS NOT NULL;
  CREATE TABLE owners (
    owner TEXT PRIMARY KEY,
    beats INTEGER NOT NULL,
    seal TEXT NOT NULL
  ) STRICT;
  CREATE TABLE inbox (
    arrival INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    address TEXT NOT NULL,
    at INTEGER NOT NULL,
    consumed INTEGER NOT NULL,
    seal TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX inbox_waiting ON inbox (address, arrival) WHERE consumed = 0;
  CREATE TABLE snapshots (
    run_key INTEGER PRIMARY KEY REFERENCES runs (run_key),
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    fold TEXT NOT NULL,
    seal TEXT NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  `,
  // Events by run instead of by position. A head that does not fit its seal gets no end, and so stays found.
  `
  ALTER TABLE events RENAME TO events_by_position;
  CREATE TABLE events (
    key INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    hash BLOB NOT NULL,
    data TEXT NOT NULL
  ) STRICT;
  INSERT INTO events (key, at, type, hash, data)
    SELECT run_key << 32 | seq, at, type, hash, data FROM events_by_position WHERE run_key <> 0 ORDER BY run_key, seq;
  INSERT OR IGNORE INTO events (key, at, type, hash, data)
    SELECT h.run_key << 32 | (h.seq + 1), h.updated_at, '', h.hash,
      end_seal(r.run, h.seq, lower(hex(h.hash)), h.updated_at)
    FROM heads h JOIN runs r ON r.run_key = h.run_key
    WHERE h.seal = head_seal(r.run, h.seq, lower(hex(h.hash)), h.position, h.updated_at);
  DROP TABLE events_by_position;
  DROP TABLE heads;
  CREATE TABLE removed_runs (run_key INTEGER PRIMARY KEY) STRICT;
  `,
  // Large values by digest, and which events name them (see `blob-rows.ts`).
  `
  CREATE TABLE blobs (
    digest BLOB PRIMARY KEY NOT NULL,
    content TEXT NOT NULL
  ) STRICT;
  CREATE TABLE blob_uses (
    run TEXT NOT NULL,
    seq INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (run, seq, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX uses_of_blob ON blob_uses (digest);
  CREATE TRIGGER forget_blobs AFTER DELETE ON runs BEGIN
    DELETE FROM blobs WHERE digest IN (SELECT digest FROM blob_uses WHERE run = old.run)
      AND NOT EXISTS (SELECT 1 FROM blob_uses u WHERE u.digest = blobs.digest AND u.run <> old.run);
    DELETE FROM blob_uses WHERE run = old.run;
  END;
  `,
  // What many runs wrote in one commit, before each event is put in its place (see `rounds.ts`).
  `
  CREATE TABLE rounds (
    n INTEGER PRIMARY KEY,
    seal TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  `,
  // When an owner last gave a sign of life; null for owners of a version that does not write it.
  `ALTER TABLE owners ADD COLUMN beat_at INTEGER;`,
  // Where an owner's pid means something, and when observers first saw it at its count of beats: see `lease-rows.ts`.
  // Beside the owners, whose rows and seals an older version may still write.
  `
  CREATE TABLE owner_places (
    owner TEXT PRIMARY KEY NOT NULL,
    space TEXT,
    machine TEXT,
    seal TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE sightings (
    owner TEXT NOT NULL,
    observer TEXT NOT NULL,
    beats INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    seal TEXT NOT NULL,
    PRIMARY KEY (owner, observer)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER forget_owner AFTER DELETE ON owners BEGIN
    DELETE FROM owner_places WHERE owner = old.owner;
    DELETE FROM sightings WHERE owner = old.owner;
  END;
  `,
  // A snapshot for each version of the fold that wrote one.
  `
  CREATE TABLE snapshots_by_fold (
    run_key INTEGER NOT NULL REFERENCES runs (run_key),
    fold TEXT NOT NULL,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    seal TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (run_key, fold)
  ) STRICT;
  INSERT INTO snapshots_by_fold (run_key, fold, seq, hash, seal, state)
    SELECT run_key, fold, seq, hash, seal, state FROM snapshots;
  DROP TABLE snapshots;
  ALTER TABLE snapshots_by_fold RENAME TO snapshots;
  `,
];

/**
 * Of the tables after the last migration, as the database describes them: a store that matches is checked without making
 * the tables once more. A test compares it with the migrations.
 */
export const SCHEMA_DIGEST = "dea5e3384d2ae671bbee42bf68f800efaf8a56d6621b9348be8145b392460c93";

/** What the steps call. */
export function defineMigrationFunctions(db: DatabaseSync): void {
  db.function("head_seal", (run, seq, hash, position, updatedAt) =>
    sealOf([String(run), Number(seq), String(hash), Number(position), Number(updatedAt)]),
  );
  db.function("end_seal", (run, seq, hash, updatedAt) =>
    sealOfHead(String(run), { seq: Number(seq), hash: String(hash) }, Number(updatedAt)),
  );
}
