import { APPEND_ONE } from "./append/append-one.ts";
import { APPEND_ORDERS, REPLACE_APPEND_ORDERS } from "./append/append-orders.ts";
import { HOSTS_TABLE } from "./hosts/hosts-table.ts";
import { BEAT_TIMES } from "./link/beat-times.ts";
import { OWNER_PLACES } from "./link/owner-addresses.ts";
import { ADDRESS_LOCKS } from "./locks/address-locks.ts";
import { OFFERS_TABLE } from "./placement/offers-table.ts";
import { REMOVE_RUN, REPLACE_REMOVE_RUN } from "./rewrite/remove-run.ts";
import { REPLACE_REWRITE_RUN, REWRITE_RUN } from "./rewrite/rewrite-run.ts";
import { KEEP_BLOBS, REPLACE_KEEP_BLOBS } from "./rows/keep-blobs.ts";
import { PUT_LEASE, REPLACE_PUT_LEASE } from "./rows/put-lease.ts";

/**
 * The schema, step by step. Rule of change: append only. A step once released is never edited (functions are
 * replaced by a later step); `store.version` is the number of steps the store has seen.
 *
 * As in the SQLite store, what changes with every append (`heads`, with room on its pages for that) is apart from
 * what rarely does (`runs`). Positions come from a sequence and never come back, no matter what is archived. They say
 * nothing of the order of commits: who follows the store goes by run and seq
 * (docs/decisions/0057-runs-do-not-wait-for-each-other-on-postgresql.md).
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE store (
    name text PRIMARY KEY CHECK (name = 'holdfast'),
    version integer NOT NULL
  );
  INSERT INTO store (name, version) VALUES ('holdfast', 0);

  CREATE TABLE runs (
    run_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text COLLATE "C" NOT NULL UNIQUE,
    status text NOT NULL,
    wake_at bigint,
    created_at bigint NOT NULL,
    seal text NOT NULL,
    goal text NOT NULL
  ) WITH (fillfactor = 70);
  CREATE TABLE heads (
    run_key bigint PRIMARY KEY REFERENCES runs (run_key),
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    position bigint NOT NULL,
    updated_at bigint NOT NULL,
    seal text NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE events (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_key bigint NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL,
    type text NOT NULL,
    hash bytea NOT NULL,
    data text NOT NULL
  );
  CREATE UNIQUE INDEX events_of_run ON events (run_key, seq);
  CREATE TABLE leases (
    address text COLLATE "C" PRIMARY KEY,
    epoch bigint NOT NULL,
    owner text COLLATE "C",
    host text,
    pid bigint,
    started_at text,
    seal text NOT NULL
  );
  CREATE INDEX leases_of_owner ON leases (owner) WHERE owner IS NOT NULL;
  CREATE TABLE owners (
    owner text COLLATE "C" PRIMARY KEY,
    beats bigint NOT NULL,
    seal text NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE inbox (
    arrival bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    address text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    consumed integer NOT NULL,
    seal text NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX inbox_waiting ON inbox (address, arrival) WHERE consumed = 0;
  CREATE TABLE snapshots (
    run_key bigint PRIMARY KEY REFERENCES runs (run_key),
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    fold text NOT NULL,
    seal text NOT NULL,
    state text NOT NULL
  );

  -- A digest over a row's columns as text; \`rowSeal\` computes the same.
  CREATE FUNCTION seal_of(VARIADIC columns text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left(encode(sha256(convert_to(array_to_json(columns)::text, 'UTF8')), 'hex'), 16)
  $$;

  -- Everyone who gives out positions or changes leases waits here for the transactions before to end.
  CREATE FUNCTION take_turn() RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(1213156420, hashtext(current_schema()))
  $$;
  ${APPEND_ORDERS}
  ${PUT_LEASE}
  `,
  REMOVE_RUN,
  KEEP_BLOBS,
  BEAT_TIMES,
  OWNER_PLACES,
  REPLACE_APPEND_ORDERS,
  REWRITE_RUN,
  REPLACE_APPEND_ORDERS,
  // A snapshot for each version of the fold that wrote one; `entry` is what reading all of them goes by.
  `
  ALTER TABLE snapshots DROP CONSTRAINT snapshots_pkey, ADD PRIMARY KEY (run_key, fold),
    ADD COLUMN entry bigint GENERATED ALWAYS AS IDENTITY;
  `,
  // Runs do not wait for each other any more. What an earlier form has begun is waited for (see `address-locks.ts`).
  [
    ADDRESS_LOCKS,
    REPLACE_APPEND_ORDERS,
    APPEND_ONE,
    REPLACE_PUT_LEASE,
    REPLACE_REMOVE_RUN,
    REPLACE_KEEP_BLOBS,
    REPLACE_REWRITE_RUN,
  ].join("\n"),
  HOSTS_TABLE,
  OFFERS_TABLE,
];
