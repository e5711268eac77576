import { CONSUMED_BODY } from "../mail-row.ts";
import type { Statement } from "./link/link.ts";

const OWNER_COLUMNS = `o.beats, o.beat_at, o.seal AS owner_seal, p.space, p.machine, p.seal AS place_seal`;
const LEASES_WITH_OWNERS = `FROM leases l LEFT JOIN owners o ON o.owner = l.owner
      LEFT JOIN owner_places p ON p.owner = l.owner`;

/** Every statement of this store outside its migrations; `sqlite/` has the same names, to be read side by side. */
const SQL = {
  /** Stands for `appendGuard`, `insertEvent`, `insertLastEvent`, `insertRun` and `updateRun`. */
  appendOrders: `SELECT * FROM append_orders($1, $2, $3, $4)`,
  /** Its short form, for one run that goes on. */
  appendOne: `SELECT * FROM append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,

  /** A run's head beside the event it names: they must agree. With the hash of event $2, for reading on from there. */
  head: `SELECT r.run_key, h.seq, encode(h.hash, 'hex') AS hash, h.position, h.updated_at, h.seal AS head_seal,
      encode(e.hash, 'hex') AS event_hash, e.position AS event_position, encode(b.hash, 'hex') AS before_hash
    FROM runs r LEFT JOIN heads h ON h.run_key = r.run_key
      LEFT JOIN events e ON e.run_key = h.run_key AND e.seq = h.seq
      LEFT JOIN events b ON b.run_key = h.run_key AND b.seq = $2
    WHERE r.run = $1`,
  runKey: `SELECT r.run_key, encode(b.hash, 'hex') AS before_hash
    FROM runs r LEFT JOIN events b ON b.run_key = r.run_key AND b.seq = $2
    WHERE r.run = $1`,
  readEvents: `SELECT seq, at, type, encode(hash, 'hex') AS hash, data FROM events
    WHERE run_key = $1 AND seq > $2 ORDER BY seq LIMIT $3`,

  listRuns: `SELECT r.run, r.status, r.wake_at, r.created_at, r.seal AS run_seal, r.goal,
      h.seq, encode(h.hash, 'hex') AS hash, h.position, h.updated_at, h.seal AS head_seal
    FROM runs r LEFT JOIN heads h ON h.run_key = r.run_key
    WHERE ($1::text[] IS NULL OR r.status = ANY ($1) OR r.status <> ALL ($2))
      AND (position(':' in r.run) > 0) = $4 AND (NOT $5 OR r.wake_at IS NOT NULL)
    ORDER BY r.run_key DESC LIMIT $3`,

  /** Those of other versions of the fold are forgotten, but for the latest. */
  upsertSnapshot: `WITH kept AS (
      INSERT INTO snapshots (run_key, seq, hash, fold, seal, state)
      SELECT run_key, $2, decode($3, 'hex'), $4, $5, $6 FROM runs WHERE run = $1
      ON CONFLICT (run_key, fold) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, seal = excluded.seal,
        state = excluded.state
      RETURNING run_key
    ), forgotten AS (
      DELETE FROM snapshots s USING kept WHERE s.run_key = kept.run_key AND s.fold <> $4 AND s.fold NOT IN
        (SELECT o.fold FROM snapshots o JOIN kept k ON k.run_key = o.run_key WHERE o.fold <> $4
          ORDER BY o.seq DESC LIMIT $7)
    )
    SELECT run_key FROM kept`,
  /** With the hash of the event it claims to stand on. */
  loadSnapshot: `SELECT s.seq, encode(s.hash, 'hex') AS hash, s.fold, s.seal, s.state,
      encode(e.hash, 'hex') AS event_hash
    FROM runs r JOIN snapshots s ON s.run_key = r.run_key
      LEFT JOIN events e ON e.run_key = s.run_key AND e.seq = s.seq
    WHERE r.run = $1 AND ($2::text IS NULL OR s.fold = $2) ORDER BY s.seq DESC LIMIT 1`,

  /** Stands for what `REMOVE_SQL` has. */
  removeRun: `SELECT * FROM remove_run($1, $2, $3, $4, $5)`,

  /** Stands for what `REWRITE_SQL` has, but for `allMail`. */
  rewriteRun: `SELECT * FROM rewrite_run($1, $2, $3, $4, $5)`,
  allMail: `SELECT id, body FROM inbox WHERE address = $1 ORDER BY arrival`,

  /** Stands for `upsertBlob` and `insertUse`. */
  keepBlobs: `SELECT keep_blobs($1, $2)`,
  blobs: `SELECT encode(digest, 'hex') AS digest, content FROM blobs
    WHERE digest = ANY (SELECT decode(d, 'hex') FROM unnest($1::text[]) AS d)`,
  blobUses: `SELECT encode(digest, 'hex') AS digest FROM blob_uses WHERE run = $1 AND seq = $2`,

  insertMail: `INSERT INTO inbox (id, address, at, consumed, seal, body) VALUES ($1, $2, $3, 0, $4, $5)
    ON CONFLICT (id) DO NOTHING RETURNING id`,
  mailById: `SELECT id, address, at, consumed, seal, body FROM inbox WHERE id = $1`,
  waitingMail: `SELECT id, address, at, consumed, seal, body FROM inbox WHERE address = $1 AND consumed = 0
    ORDER BY arrival`,
  addressesWithMail: `SELECT DISTINCT address FROM inbox WHERE consumed = 0 ORDER BY address`,
  /** Consumed rows stay, without their words, so that a repeated question is known. A damaged one stays as it is. */
  consumeMail: `UPDATE inbox SET consumed = 1,
      seal = CASE WHEN seal = seal_of(id, address, at::text, '0', body)
        THEN seal_of(id, address, at::text, '1', '${CONSUMED_BODY}') ELSE seal END,
      body = CASE WHEN seal = seal_of(id, address, at::text, '0', body) THEN '${CONSUMED_BODY}' ELSE body END
    WHERE address = $1 AND id = ANY ($2) AND consumed = 0`,

  lease: `SELECT l.address, l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal,
      ${OWNER_COLUMNS}
    ${LEASES_WITH_OWNERS} WHERE l.address = $1`,
  /** Stands for `upsertLease`, `insertOwner`, `upsertPlace` and `forgetOwner`. */
  putLease: `SELECT claim_from_place($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) AS put`,
  holders: `SELECT l.address, l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal,
      ${OWNER_COLUMNS}, now_ms() AS now
    ${LEASES_WITH_OWNERS} WHERE l.owner IS NOT NULL`,
  updateOwner: `SELECT beat_owner($1)`,
  sighting: `SELECT beats, seen_at, seal FROM sightings WHERE owner = $1 AND observer = $2`,
  /**
   * Only of an owner that holds what it was seen to hold: its count of beats begins again with its next first lease.
   */
  upsertSighting: `INSERT INTO sightings (owner, observer, beats, seen_at, seal)
    SELECT o.owner, $2, $3, $4, $5 FROM leases l JOIN owners o ON o.owner = l.owner
      WHERE l.address = $6 AND l.epoch = $7 AND l.owner = $1 AND o.beats = $3 FOR KEY SHARE
    ON CONFLICT (owner, observer) DO UPDATE SET beats = excluded.beats, seen_at = excluded.seen_at,
      seal = excluded.seal`,

  /** A hint: its transaction does not wait for the disk. */
  /** Answers whether somebody wants it to drain; that ends when the host leaves as it should. */
  putHost: `INSERT INTO hosts (id, facts, joined_at, seen_at, beats) VALUES ($1, $2, now_ms(), now_ms(), 1)
    ON CONFLICT (id) DO UPDATE SET facts = excluded.facts, seen_at = excluded.seen_at, beats = hosts.beats + 1,
      joined_at = CASE WHEN $3 THEN excluded.joined_at ELSE hosts.joined_at END,
      drained_by = CASE WHEN $4 THEN NULL ELSE hosts.drained_by END
    RETURNING drained_by IS NOT NULL AS draining`,
  hosts: `SELECT facts, drained_by, joined_at, beats, greatest(now_ms() - seen_at, 0) AS silent_ms FROM hosts
    ORDER BY joined_at, id`,
  serverSession: `SELECT pg_backend_pid() AS pid`,
  /** Who follows is shown to roles that may see statistics; to others each row is empty. */
  serverFacts: `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS is_standby, now_ms() AS now_ms,
      (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
      (SELECT CASE WHEN bool_or(sync_state IS NULL) THEN NULL ELSE coalesce(json_agg(sync_state), '[]')::text END
        FROM pg_stat_replication) AS standbys,
      (SELECT json_object_agg(name, setting)::text FROM pg_settings WHERE name IN
        ('fsync', 'full_page_writes', 'max_connections')) AS settings`,
  /** Shared: the session of a dead predecessor keeps nobody out. */
  holdHostLock: `SELECT pg_advisory_lock_shared(address_key('lock of ' || $1 || ' ' || $2))`,
  /** Who holds which, in the same session that holds its own; the timeline changes when a standby is promoted. */
  hostLocks: `WITH held AS MATERIALIZED (
      SELECT (classid::bigint << 32) | objid::bigint AS key, pid FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    SELECT h.id, self.*,
      EXISTS (SELECT FROM held WHERE key = address_key('lock of supervisor ' || h.id)) AS supervisor,
      EXISTS (SELECT FROM held WHERE key = address_key('lock of watchdog ' || h.id)) AS watchdog
    FROM (SELECT pg_backend_pid() AS pid,
        (SELECT backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS began,
        pg_postmaster_start_time()::text AS server,
        substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline,
        EXISTS (SELECT FROM held WHERE pid = pg_backend_pid() AND key = address_key('lock of ' || $1 || ' ' || $2)) AS is_own
      ) AS self LEFT JOIN hosts h ON true`,
  /** From each to the next by the index: the rows between are not looked at. */
  askedOffers: `WITH RECURSIVE each AS (
      (SELECT asked FROM offers ORDER BY asked LIMIT 1)
      UNION ALL
      SELECT (SELECT o.asked FROM offers o WHERE o.asked > each.asked ORDER BY o.asked LIMIT 1)
        FROM each WHERE each.asked IS NOT NULL
    ) SELECT asked FROM each WHERE asked IS NOT NULL`,
  pullOffers: `WITH picked AS MATERIALIZED (
      SELECT o.run_key FROM unnest($1::text[]) AS wanted (asked) CROSS JOIN LATERAL (
        SELECT f.run_key, f.turn FROM offers f
          WHERE f.asked = wanted.asked AND f.free_at <= now_ms() AND f.run <> ALL ($4::text[])
          ORDER BY f.turn, f.run_key LIMIT $2 FOR UPDATE SKIP LOCKED) o
      ORDER BY o.turn, o.run_key LIMIT $2
    ), pulled AS (
      UPDATE offers p SET free_at = now_ms() + $3 FROM picked WHERE p.run_key = picked.run_key
      RETURNING p.run, p.turn, p.run_key
    ) SELECT run FROM pulled ORDER BY turn, run_key`,
  giveBackOffers: `UPDATE offers SET free_at = 0 WHERE run = ANY ($1::text[])`,
  drainHost: `UPDATE hosts SET drained_by = $2 WHERE id = $1`,

  notify: `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
  /**
   * Changes with every transaction that changes anything, in any order they end: the newest one alone would not show
   * the end of one that began before it.
   */
  transactions: `SELECT pg_current_snapshot()::text AS transactions`,

  verifyRuns: `SELECT r.run_key, r.run, r.status, r.wake_at, r.created_at, r.seal AS run_seal, r.goal,
      h.seq, encode(h.hash, 'hex') AS hash, h.position, h.updated_at, h.seal AS head_seal,
      e.position AS event_position
    FROM runs r LEFT JOIN heads h ON h.run_key = r.run_key
      LEFT JOIN events e ON e.run_key = h.run_key AND e.seq = h.seq
    WHERE r.run_key > $1 ORDER BY r.run_key LIMIT $2`,
  verifyLeases: `SELECT l.address, l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal,
      ${OWNER_COLUMNS}
    ${LEASES_WITH_OWNERS} WHERE l.address > $1 ORDER BY l.address LIMIT $2`,
  verifyInbox: `SELECT arrival, id, address, at, consumed, seal, body FROM inbox WHERE arrival > $1
    ORDER BY arrival LIMIT $2`,
  verifySnapshots: `SELECT s.entry, s.run_key, r.run, s.seq, encode(s.hash, 'hex') AS hash, s.fold, s.seal, s.state,
      encode(e.hash, 'hex') AS event_hash
    FROM snapshots s JOIN runs r ON r.run_key = s.run_key
      LEFT JOIN events e ON e.run_key = s.run_key AND e.seq = s.seq
    WHERE s.entry > $1 ORDER BY s.entry LIMIT $2`,
  /** Rows that stand on nothing. Events are looked at by run, each found through the index after the one before. */
  verifyOrphans: `WITH RECURSIVE keys AS (
      SELECT min(run_key) AS run_key FROM events
      UNION ALL SELECT (SELECT min(e.run_key) FROM events e WHERE e.run_key > k.run_key) FROM keys k
        WHERE k.run_key IS NOT NULL)
    SELECT 'series of events of no run' AS what, count(*) AS n FROM keys k
      WHERE k.run_key IS NOT NULL AND NOT EXISTS (SELECT FROM runs r WHERE r.run_key = k.run_key)
    UNION ALL SELECT 'owners of no lease', count(*) FROM owners o
      WHERE NOT EXISTS (SELECT FROM leases l WHERE l.owner = o.owner)`,
} as const;

/** A statement by its name, under which each connection prepares it once. */
export const statement = (name: keyof typeof SQL, ...values: unknown[]): Statement => ({
  name,
  text: SQL[name],
  values,
});
