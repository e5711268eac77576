/** Every statement of this store outside its migrations; `postgres/` has the same names, to be read side by side. */
export const SQL = {
  /** All that an append is judged by: the lease, the listing's seal and the head, in one look. */
  appendGuard: `SELECT l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal,
      r.run_key, r.created_at, r.seal AS run_seal,
      h.seq, lower(hex(h.hash)) AS hash, h.position, h.updated_at, h.seal AS head_seal
    FROM leases l LEFT JOIN runs r ON r.run = l.address LEFT JOIN heads h ON h.run_key = r.run_key
    WHERE l.address = ?`,
  insertEvent: `INSERT INTO events (run_key, seq, at, type, hash, data) VALUES (?, ?, ?, ?, unhex(?), ?)`,
  insertRun: `INSERT INTO runs (run, status, wake_at, created_at, seal, goal) VALUES (?, ?, ?, ?, ?, ?)`,
  updateRun: `UPDATE runs SET status = ?, wake_at = ?, seal = ?, goal = ? WHERE run_key = ?`,
  insertHead: `INSERT INTO heads (run_key, seq, hash, position, updated_at, seal) VALUES (?, ?, unhex(?), ?, ?, ?)`,
  updateHead: `UPDATE heads SET seq = ?, hash = unhex(?), position = ?, updated_at = ?, seal = ? WHERE run_key = ?`,

  /** A run's head beside the event it names: they must agree. */
  head: `SELECT r.run_key, h.seq, lower(hex(h.hash)) AS hash, h.position, h.updated_at, h.seal AS head_seal,
      lower(hex(e.hash)) AS event_hash, e.position AS event_position
    FROM runs r LEFT JOIN heads h ON h.run_key = r.run_key
      LEFT JOIN events e ON e.run_key = h.run_key AND e.seq = h.seq
    WHERE r.run = ?`,
  eventHash: `SELECT lower(hex(hash)) AS hash FROM events WHERE run_key = ? AND seq = ?`,
  readEvents: `SELECT seq, at, type, lower(hex(hash)) AS hash, data FROM events
    WHERE run_key = ? AND seq > ? ORDER BY seq LIMIT ?`,
  eventAtPosition: `SELECT lower(hex(hash)) AS hash FROM events WHERE position = ?`,
  lastPosition: `SELECT coalesce(max(position), 0) AS position FROM events`,

  listRuns: `SELECT r.run, r.status, r.wake_at, r.created_at, r.seal AS run_seal, r.goal,
      h.seq, lower(hex(h.hash)) AS hash, h.position, h.updated_at, h.seal AS head_seal
    FROM runs r LEFT JOIN heads h ON h.run_key = r.run_key
    WHERE ?1 IS NULL OR r.status IN (SELECT value FROM json_each(?1))
      OR r.status IS NULL OR r.status NOT IN (SELECT value FROM json_each(?2))
    ORDER BY r.run_key DESC LIMIT ?3`,

  upsertSnapshot: `INSERT INTO snapshots (run_key, seq, hash, fold, seal, state) VALUES (?, ?, unhex(?), ?, ?, ?)
    ON CONFLICT (run_key) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, fold = excluded.fold,
      seal = excluded.seal, state = excluded.state`,
  /** With the hash of the event it claims to stand on. */
  loadSnapshot: `SELECT s.seq, lower(hex(s.hash)) AS hash, s.fold, s.seal, s.state, lower(hex(e.hash)) AS event_hash
    FROM runs r JOIN snapshots s ON s.run_key = r.run_key
      LEFT JOIN events e ON e.run_key = s.run_key AND e.seq = s.seq
    WHERE r.run = ?`,
  /** Past the indexes, see `absence.ts`. */
  runByScan: `SELECT run_key FROM runs NOT INDEXED WHERE run = ?`,
  leaseByScan: `SELECT epoch FROM leases NOT INDEXED WHERE address = ?`,
  runKey: `SELECT run_key FROM runs WHERE run = ?`,

  insertMail: `INSERT INTO inbox (id, address, at, consumed, seal, body) VALUES (?, ?, ?, 0, ?, ?)
    ON CONFLICT (id) DO NOTHING`,
  mailById: `SELECT id, address, at, consumed, seal, body FROM inbox WHERE id = ?`,
  waitingMail: `SELECT id, address, at, consumed, seal, body FROM inbox WHERE address = ? AND consumed = 0
    ORDER BY arrival`,
  addressesWithMail: `SELECT DISTINCT address FROM inbox WHERE consumed = 0 ORDER BY address`,
  /** Consumed rows stay, so that a repeated question is known. */
  consumeMail: `UPDATE inbox SET consumed = 1, seal = ? WHERE id = ?`,

  lease: `SELECT l.address, l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal,
      o.beats, o.seal AS owner_seal
    FROM leases l LEFT JOIN owners o ON o.owner = l.owner WHERE l.address = ?`,
  upsertLease: `INSERT INTO leases (address, epoch, owner, host, pid, started_at, seal) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (address) DO UPDATE SET epoch = excluded.epoch, owner = excluded.owner, host = excluded.host,
      pid = excluded.pid, started_at = excluded.started_at, seal = excluded.seal`,
  owner: `SELECT owner, beats, seal AS owner_seal FROM owners WHERE owner = ?`,
  insertOwner: `INSERT INTO owners (owner, beats, seal) VALUES (?, 0, ?) ON CONFLICT (owner) DO NOTHING`,
  updateOwner: `UPDATE owners SET beats = ?, seal = ? WHERE owner = ?`,
  /** Owners are known only while they hold a lease, so that their number stays bounded. */
  forgetOwner: `DELETE FROM owners WHERE owner = ?1 AND NOT EXISTS (SELECT 1 FROM leases WHERE owner = ?1)`,
} as const;

/** What removing a run adds. */
export const REMOVE_SQL = {
  mailWaits: `SELECT 1 FROM inbox WHERE address = ? AND consumed = 0 LIMIT 1`,
  deleteMail: `DELETE FROM inbox WHERE address = ?`,
  deleteSnapshot: `DELETE FROM snapshots WHERE run_key = ?`,
  deleteHead: `DELETE FROM heads WHERE run_key = ?`,
  deleteEvents: `DELETE FROM events WHERE run_key = ?`,
  deleteRun: `DELETE FROM runs WHERE run_key = ?`,
  /** The place of the last event ever written, see `run-removal.ts`: no run has the key 0. */
  deleteLastPlace: `DELETE FROM events WHERE run_key = 0`,
  insertLastPlace: `INSERT INTO events (position, run_key, seq, at, type, hash, data) VALUES (?1, 0, ?1, 0, '', unhex(?2), '')`,
} as const;

/** What reading everything adds to the statements above. */
export const VERIFY_SQL = {
  integrity: `PRAGMA integrity_check`,
  runs: `SELECT r.run_key, r.run, r.status, r.wake_at, r.created_at, r.seal AS run_seal, r.goal,
      h.seq, lower(hex(h.hash)) AS hash, h.position, h.updated_at, h.seal AS head_seal
    FROM runs r LEFT JOIN heads h ON h.run_key = r.run_key ORDER BY r.run_key`,
  leases: `SELECT l.address, l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal,
      o.beats, o.seal AS owner_seal
    FROM leases l LEFT JOIN owners o ON o.owner = l.owner`,
  inbox: `SELECT id, address, at, consumed, seal, body FROM inbox`,
  snapshots: `SELECT r.run, s.seq, lower(hex(s.hash)) AS hash, s.fold, s.seal, s.state, lower(hex(e.hash)) AS event_hash
    FROM runs r JOIN snapshots s ON s.run_key = r.run_key
      LEFT JOIN events e ON e.run_key = s.run_key AND e.seq = s.seq`,
  /** Rows that stand on nothing. */
  orphans: `SELECT 'events of no run' AS what, count(*) AS n FROM events
      WHERE run_key <> 0 AND run_key NOT IN (SELECT run_key FROM runs)
    UNION ALL SELECT 'heads of no run', count(*) FROM heads WHERE run_key NOT IN (SELECT run_key FROM runs)
    UNION ALL SELECT 'snapshots of no run', count(*) FROM snapshots WHERE run_key NOT IN (SELECT run_key FROM runs)
    UNION ALL SELECT 'owners of no lease', count(*) FROM owners
      WHERE owner NOT IN (SELECT owner FROM leases WHERE owner IS NOT NULL)`,
} as const;
