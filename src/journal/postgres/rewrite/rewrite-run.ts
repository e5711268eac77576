/**
 * The function that puts other texts in the place of a run's last events; a step of the schema. It locks the run as an
 * append does. The order comes as JSON; everything in it is checked text or JSON itself (see `append-values.ts`).
 */
export const REWRITE_RUN = `
  CREATE FUNCTION rewrite_run(the_run text, the_epoch bigint, the_seq bigint, the_hash text, o json)
  RETURNS TABLE (
    verdict text, epoch bigint, owner text, host text, pid bigint, started_at text, lease_seal text,
    seq bigint, hash text, "position" bigint, updated_at bigint, head_seal text
  ) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    found record;
    the_key bigint;
    judged text;
  BEGIN
    PERFORM lock_address(the_run);

    SELECT l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal AS lease_seal, r.run_key,
      h.seq, encode(h.hash, 'hex') AS hash, h.position, h.updated_at, h.seal AS head_seal INTO found
    FROM (VALUES (the_run)) AS v (run)
      LEFT JOIN leases l ON l.address = v.run
      LEFT JOIN runs r ON r.run = v.run
      LEFT JOIN heads h ON h.run_key = r.run_key;
    the_key := found.run_key;
    judged := CASE
      WHEN found.owner IS NULL OR found.epoch <> the_epoch THEN 'fenced'
      WHEN the_key IS NULL OR found.seq <> the_seq OR found.hash <> the_hash THEN 'conflict'
      ELSE 'rewritten'
    END;

    IF judged = 'rewritten' THEN
      UPDATE events e SET hash = decode(n.hash, 'hex'), data = n.data
      FROM json_to_recordset(o -> 'events') AS n (seq bigint, hash text, data text)
      WHERE e.run_key = the_key AND e.seq = n.seq AND n.seq <= the_seq;
      INSERT INTO events (run_key, seq, at, type, hash, data)
      SELECT the_key, n.seq, n.at, n.type, decode(n.hash, 'hex'), n.data
      FROM json_to_recordset(o -> 'events') AS n (seq bigint, at bigint, type text, hash text, data text)
      WHERE n.seq > the_seq ORDER BY n.seq;
      UPDATE heads h SET seq = e.seq, hash = e.hash, position = e.position, updated_at = e.at, seal = o ->> 'seal'
      FROM events e WHERE h.run_key = the_key AND e.run_key = the_key AND e.seq = (o ->> 'last_seq')::bigint;
      DELETE FROM snapshots s WHERE s.run_key = the_key;
      UPDATE runs r SET status = o ->> 'status', wake_at = (o ->> 'wake_at')::bigint, goal = o ->> 'goal',
        seal = seal_of(r.run, o ->> 'status', o ->> 'wake_at', r.created_at::text, o ->> 'goal')
      WHERE r.run_key = the_key;
      UPDATE inbox i SET body = m.body, seal = seal_of(i.id, i.address, i.at::text, i.consumed::text, m.body)
      FROM json_to_recordset(o -> 'mail') AS m (id text, body text)
      WHERE i.id = m.id AND i.address = the_run;
      PERFORM lock_large_values(true);
      DELETE FROM blob_uses u USING json_array_elements_text(o -> 'changed') AS c (seq)
      WHERE u.run = the_run AND u.seq = c.seq::bigint;
      INSERT INTO blobs AS b (digest, content)
      SELECT DISTINCT ON (n.digest) decode(n.digest, 'hex'), n.content
      FROM json_to_recordset(o -> 'blobs') AS n (digest text, content text)
      ON CONFLICT (digest) DO UPDATE SET content = excluded.content WHERE b.content <> excluded.content;
      INSERT INTO blob_uses (run, seq, digest)
      SELECT the_run, n.seq, decode(n.digest, 'hex')
      FROM json_to_recordset(o -> 'blobs') AS n (seq bigint, digest text)
      ON CONFLICT DO NOTHING;
      DELETE FROM blobs b USING json_array_elements_text(o -> 'dropped') AS d (digest)
      WHERE b.digest = decode(d.digest, 'hex')
        AND NOT EXISTS (SELECT FROM blob_uses u WHERE u.digest = b.digest);
    END IF;

    RETURN QUERY SELECT judged, found.epoch, found.owner, found.host, found.pid, found.started_at,
      found.lease_seal, found.seq, found.hash, found.position, found.updated_at, found.head_seal;
  END $$;`;

/** For stores that were made with an earlier form of it. */
export const REPLACE_REWRITE_RUN = REWRITE_RUN.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION");
