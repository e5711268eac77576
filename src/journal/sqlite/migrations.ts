/**
 * The schema, step by step. Rule of change: append only. A step once released is never edited; the store's
 * `user_version` is the number of steps it has seen.
 *
 * `events` is an ordinary rowid table: WITHOUT ROWID costs 4.7 times the bytes at 1 KB of data. What changes with
 * every append (`heads`) is apart from what rarely does (`runs`, with a goal of any length, kept last so that
 * reading the columns before it never touches its overflow pages).
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
];
