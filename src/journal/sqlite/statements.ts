/** Where the end of run `r` stands: nothing of the run comes behind it. */
const LAST_KEY = `(SELECT max(key) FROM events WHERE key BETWEEN r.run_key << 32 AND (r.run_key + 1 << 32) - 1)`;

/** A run's head, from its end `h`. */
const HEAD_COLUMNS = `(h.key & 4294967295) - 1 AS seq, lower(hex(h.hash)) AS hash, h.at AS updated_at,
      h.type AS end_type, h.data AS head_seal`;

const INSTEAD_OF_END = `ON CONFLICT (key) DO UPDATE SET at = excluded.at, type = excluded.type, hash = excluded.hash,
      data = excluded.data WHERE events.type = ''`;

const OWNER_COLUMNS = `o.beats, o.beat_at, o.seal AS owner_seal, p.space, p.machine, p.seal AS place_seal`;
const LEASES_WITH_OWNERS = `FROM leases l LEFT JOIN owners o ON o.owner = l.owner
      LEFT JOIN owner_places p ON p.owner = l.owner`;

/** Every statement of this store outside its migrations; `postgres/` has the same names, to be read side by side. */
export const SQL = {
  /** All that an append is assessed by: the lease, the listing's seal and the head, in one look. */
  appendGuard: `SELECT l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal,
      r.run_key, r.created_at, r.seal AS run_seal, ${HEAD_COLUMNS}
    FROM leases l LEFT JOIN runs r ON r.run = l.address LEFT JOIN events h ON h.key = ${LAST_KEY}
    WHERE l.address = ?`,
  /** Each takes the place of the end that stood there, and of nothing else. */
  insertEvent: `INSERT INTO events (key, at, type, hash, data) VALUES (?1 << 32 | ?2, ?3, ?4, unhex(?5), ?6)
    ${INSTEAD_OF_END}`,
  /** The last event of an append, and the run's new end behind it. */
  insertLastEvent: `INSERT INTO events (key, at, type, hash, data) VALUES
      (?1 << 32 | ?2, ?3, ?4, unhex(?5), ?6), (?1 << 32 | (?2 + 1), ?3, '', unhex(?5), ?7)
    ${INSTEAD_OF_END}`,
  /**
   * A lone append without a transaction around it (see `lone-append.ts`): where the lease, the rounds or the run's end
   * are not as expected a hash is NULL, which the table refuses, and so nothing at all is written.
   */
  appendAlone: `INSERT INTO events (key, at, type, hash, data) VALUES
      (?1 << 32 | ?2, ?3, ?4, (SELECT unhex(?5) FROM leases WHERE address = ?8 AND epoch = ?9 AND owner IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM rounds)), ?6),
      (?1 << 32 | (?2 + 1), ?3, '', unhex(?5), ?7)
    ON CONFLICT (key) DO UPDATE SET at = excluded.at, type = excluded.type, data = excluded.data,
      hash = CASE WHEN events.type = '' THEN excluded.hash END`,
  /** Keys are never given out twice, see `check-mark.ts`. */
  insertRun: `INSERT INTO runs (run_key, run, status, wake_at, created_at, seal, goal) VALUES
    (1 + max(coalesce((SELECT max(run_key) FROM runs), 0), coalesce((SELECT max(run_key) FROM removed_runs), 0)),
      ?, ?, ?, ?, ?, ?)`,
  updateRun: `UPDATE runs SET status = ?, wake_at = ?, seal = ?, goal = ? WHERE run_key = ?`,

  /** A run's head beside the event it names: they must agree. */
  head: `SELECT r.run_key, ${HEAD_COLUMNS}, lower(hex(e.hash)) AS event_hash
    FROM runs r LEFT JOIN events h ON h.key = ${LAST_KEY} LEFT JOIN events e ON e.key = h.key - 1
    WHERE r.run = ?`,
  eventHash: `SELECT lower(hex(hash)) AS hash FROM events WHERE key = (?1 << 32 | ?2)`,
  /** Of a run, after one event and up to another. */
  readEvents: `SELECT key & 4294967295 AS seq, at, type, lower(hex(hash)) AS hash, data FROM events
    WHERE key > (?1 << 32 | ?2) AND key <= (?1 << 32 | ?3) ORDER BY key LIMIT ?4`,

  listRuns: `SELECT r.run_key, r.run, r.status, r.wake_at, r.created_at, r.seal AS run_seal, r.goal, ${HEAD_COLUMNS}
    FROM runs r LEFT JOIN events h ON h.key = ${LAST_KEY}
    WHERE (?1 IS NULL OR r.status IN (SELECT value FROM json_each(?1))
        OR r.status IS NULL OR r.status NOT IN (SELECT value FROM json_each(?2)))
      AND (instr(r.run, ':') > 0) = ?4 AND (?5 = 0 OR r.wake_at IS NOT NULL)
    ORDER BY r.run_key DESC LIMIT ?3`,

  upsertSnapshot: `INSERT INTO snapshots (run_key, seq, hash, fold, seal, state) VALUES (?, ?, unhex(?), ?, ?, ?)
    ON CONFLICT (run_key, fold) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, seal = excluded.seal,
      state = excluded.state`,
  /** Those of other versions of the fold than the one named, but for the latest. */
  forgetSnapshots: `DELETE FROM snapshots WHERE run_key = ?1 AND fold <> ?2 AND fold NOT IN
    (SELECT fold FROM snapshots WHERE run_key = ?1 AND fold <> ?2 ORDER BY seq DESC LIMIT ?3)`,
  /** With the hash of the event it claims to stand on. */
  loadSnapshot: `SELECT r.run_key, s.seq, lower(hex(s.hash)) AS hash, s.fold, s.seal, s.state, lower(hex(e.hash)) AS event_hash
    FROM runs r JOIN snapshots s ON s.run_key = r.run_key
      LEFT JOIN events e ON e.key = (s.run_key << 32 | s.seq) AND e.type <> ''
    WHERE r.run = ?1 AND (?2 IS NULL OR s.fold = ?2) ORDER BY s.seq DESC LIMIT 1`,
  /** Past the indexes, see `absence.ts`. */
  runByScan: `SELECT run_key FROM runs NOT INDEXED WHERE run = ?`,
  leaseByScan: `SELECT epoch FROM leases NOT INDEXED WHERE address = ?`,
  leaseByIndex: `SELECT epoch FROM leases WHERE address = ?`,
  runKey: `SELECT run_key FROM runs WHERE run = ?`,

  insertMail: `INSERT INTO inbox (id, address, at, consumed, seal, body) VALUES (?, ?, ?, 0, ?, ?)
    ON CONFLICT (id) DO NOTHING`,
  mailById: `SELECT id, address, at, consumed, seal, body FROM inbox WHERE id = ?`,
  waitingMail: `SELECT id, address, at, consumed, seal, body FROM inbox WHERE address = ? AND consumed = 0
    ORDER BY arrival`,
  addressesWithMail: `SELECT DISTINCT address FROM inbox WHERE consumed = 0 ORDER BY address`,
  /** Consumed rows stay, without their words, so that a repeated question is known. */
  consumeMail: `UPDATE inbox SET consumed = 1, body = ?, seal = ? WHERE id = ?`,

  lease: `SELECT l.address, l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal,
      ${OWNER_COLUMNS}
    ${LEASES_WITH_OWNERS} WHERE l.address = ?`,
  upsertLease: `INSERT INTO leases (address, epoch, owner, host, pid, started_at, seal) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (address) DO UPDATE SET epoch = excluded.epoch, owner = excluded.owner, host = excluded.host,
      pid = excluded.pid, started_at = excluded.started_at, seal = excluded.seal`,
  holders: `SELECT l.address, l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal,
      ${OWNER_COLUMNS}
    ${LEASES_WITH_OWNERS} WHERE l.owner IS NOT NULL`,
  owner: `SELECT owner, beats, beat_at, seal AS owner_seal FROM owners WHERE owner = ?`,
  insertOwner: `INSERT INTO owners (owner, beats, beat_at, seal) VALUES (?, 0, ?, ?) ON CONFLICT (owner) DO NOTHING`,
  updateOwner: `UPDATE owners SET beats = ?, beat_at = ?, seal = ? WHERE owner = ?`,
  upsertPlace: `INSERT INTO owner_places (owner, space, machine, seal) VALUES (?, ?, ?, ?)
    ON CONFLICT (owner) DO UPDATE SET space = excluded.space, machine = excluded.machine, seal = excluded.seal`,
  sighting: `SELECT beats, seen_at, seal FROM sightings WHERE owner = ? AND observer = ?`,
  /**
   * Only of an owner that holds what it was seen to hold: its count of beats begins again with its next first lease.
   */
  upsertSighting: `INSERT INTO sightings (owner, observer, beats, seen_at, seal)
    SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM leases l JOIN owners o ON o.owner = l.owner
      WHERE l.address = ?6 AND l.epoch = ?7 AND l.owner = ?1 AND o.beats = ?3)
    ON CONFLICT (owner, observer) DO UPDATE SET beats = excluded.beats, seen_at = excluded.seen_at,
      seal = excluded.seal`,
  /** Owners are known only while they hold a lease, so that their number stays bounded. */
  forgetOwner: `DELETE FROM owners WHERE owner = ?1 AND NOT EXISTS (SELECT 1 FROM leases WHERE owner = ?1)`,
} as const;

/** Events of many runs in one row, until they are put in their places (see `rounds.ts`). */
export const ROUND_SQL = {
  anyRound: `SELECT 1 FROM rounds LIMIT 1`,
  rounds: `SELECT n, seal, body FROM rounds ORDER BY n`,
  roundsSize: `SELECT coalesce(sum(length(body)), 0) AS bytes, coalesce(max(n), 0) AS last FROM rounds`,
  insertRound: `INSERT INTO rounds (n, seal, body) VALUES (?, ?, ?)`,
  deleteRounds: `DELETE FROM rounds`,
  runOfKey: `SELECT run FROM runs WHERE run_key = ?`,
} as const;

/** What removing a run adds. */
export const REMOVE_SQL = {
  mailWaits: `SELECT 1 FROM inbox WHERE address = ? AND consumed = 0 LIMIT 1`,
  deleteMail: `DELETE FROM inbox WHERE address = ?`,
  deleteSnapshot: `DELETE FROM snapshots WHERE run_key = ?`,
  deleteEvents: `DELETE FROM events WHERE key BETWEEN ?1 << 32 AND (?1 + 1 << 32) - 1`,
  deleteRun: `DELETE FROM runs WHERE run_key = ?`,
  /** The highest key among those removed, see `check-mark.ts`. */
  noteRemoved: `INSERT INTO removed_runs (run_key) SELECT ?1 WHERE ?1 > (SELECT coalesce(max(run_key), 0) FROM removed_runs)`,
  forgetRemoved: `DELETE FROM removed_runs WHERE run_key < ?`,
} as const;

/** What rewriting a run adds. */
export const REWRITE_SQL = {
  updateEvent: `UPDATE events SET hash = unhex(?3), data = ?4 WHERE key = (?1 << 32 | ?2) AND type <> ''`,
  allMail: `SELECT id, body FROM inbox WHERE address = ? ORDER BY arrival`,
  updateMail: `UPDATE inbox SET body = ?, seal = ? WHERE id = ?`,
  deleteUses: `DELETE FROM blob_uses WHERE run = ? AND seq = ?`,
  deleteUnused: `DELETE FROM blobs WHERE digest = unhex(?)
    AND NOT EXISTS (SELECT 1 FROM blob_uses u WHERE u.digest = blobs.digest)`,
  /** A record behind an event by which the run was rewritten from before that event on. */
  rewrittenSince: `SELECT 1 FROM events WHERE key > (?1 << 32 | ?2) AND key < (?1 + 1 << 32) AND type = 'RunScrubbed'
    AND data ->> '$.from' <= ?2 AND data ->> '$.before.seq' >= ?2 LIMIT 1`,
} as const;

/** Large values, see `blob-rows.ts`. */
export const BLOB_SQL = {
  /** One that is there already is written again only if it is not what it should be. */
  upsertBlob: `INSERT INTO blobs (digest, content) VALUES (unhex(?), ?)
    ON CONFLICT (digest) DO UPDATE SET content = excluded.content WHERE content <> excluded.content`,
  insertUse: `INSERT INTO blob_uses (run, seq, digest) VALUES (?, ?, unhex(?)) ON CONFLICT DO NOTHING`,
  blob: `SELECT content FROM blobs WHERE digest = unhex(?)`,
  use: `SELECT 1 FROM blob_uses WHERE run = ? AND seq = ? AND digest = unhex(?)`,
} as const;

/** What holding the acknowledged mark against the store adds. */
export const MARK_SQL = {
  eventAt: `SELECT lower(hex(hash)) AS hash FROM events WHERE key = (?1 << 32 | ?2) AND type <> ''`,
  wasRemoved: `SELECT 1 FROM removed_runs WHERE run_key >= ?1 AND ?1 NOT IN (SELECT run_key FROM runs)`,
} as const;

/** What reading everything adds to the statements above. */
export const VERIFY_SQL = {
  integrity: `PRAGMA integrity_check`,
  runs: `SELECT r.run_key, r.run, r.status, r.wake_at, r.created_at, r.seal AS run_seal, r.goal,
      ${HEAD_COLUMNS}
    FROM runs r LEFT JOIN events h ON h.key = ${LAST_KEY} ORDER BY r.run_key`,
  leases: `SELECT l.address, l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal,
      ${OWNER_COLUMNS}
    ${LEASES_WITH_OWNERS}`,
  inbox: `SELECT id, address, at, consumed, seal, body FROM inbox`,
  snapshots: `SELECT r.run_key, r.run, s.seq, lower(hex(s.hash)) AS hash, s.fold, s.seal, s.state, lower(hex(e.hash)) AS event_hash
    FROM runs r JOIN snapshots s ON s.run_key = r.run_key
      LEFT JOIN events e ON e.key = (s.run_key << 32 | s.seq) AND e.type <> ''`,
  /** Rows that stand on nothing. */
  orphans: `SELECT 'events of no run' AS what, count(*) AS n FROM events
      WHERE key >> 32 NOT IN (SELECT run_key FROM runs)
    UNION ALL SELECT 'snapshots of no run', count(*) FROM snapshots WHERE run_key NOT IN (SELECT run_key FROM runs)
    UNION ALL SELECT 'uses of large values by no run', count(*) FROM blob_uses
      WHERE run NOT IN (SELECT run FROM runs)
    UNION ALL SELECT 'owners of no lease', count(*) FROM owners
      WHERE owner NOT IN (SELECT owner FROM leases WHERE owner IS NOT NULL)`,
} as const;
