/**
 * The function that judges and writes a batch of appends; part of the schema's first step.
 *
 * One element per order in the first ten arrays, one per event and one per consumed request in the others, which
 * name their order by its number. No run occurs twice in a batch. The client has linked the events to the head it
 * knows of; if the store has another, the verdict is \`unlinked\` and the client looks again. With \`again\` an
 * earlier try of the same batch may have been carried out without its answer arriving: an order whose last event
 * stands in the run is \`mine\`, whatever happened to the run since.
 *
 * The lock is taken by a statement of its own, so that the next one sees all that was committed before: in one
 * statement, the lease and the head would be those of before the wait. A client cannot hold the lock: the function
 * is a whole transaction, and the server ends it by itself.
 */
export const APPEND_ORDERS = `
  CREATE FUNCTION append_orders(
    runs text[], expecteds bigint[], epochs bigint[], ats bigint[], befores text[],
    last_seqs bigint[], last_hashes text[], head_seals text[],
    statuses text[], wake_ats bigint[], goals text[],
    event_orders integer[], event_seqs bigint[], event_types text[], event_hashes text[], event_datas text[],
    mail_orders integer[], mail_ids text[], again boolean
  ) RETURNS TABLE (
    ord integer, verdict text, "position" bigint,
    epoch bigint, owner text, host text, pid bigint, started_at text, lease_seal text,
    seq bigint, hash text, updated_at bigint, head_seal text
  ) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    verdicts text[];
    -- The run's key where an order may be written, -1 for a new run, 0 where it is refused.
    keys bigint[];
    relists boolean[];
    new_key bigint;
    one record;
  BEGIN
    PERFORM take_turn();

    SELECT array_agg(j.verdict ORDER BY j.ord),
      array_agg(CASE j.verdict WHEN 'appended' THEN coalesce(j.run_key, -1) ELSE 0 END ORDER BY j.ord),
      array_agg(j.verdict = 'appended' AND j.relist ORDER BY j.ord)
    INTO verdicts, keys, relists
    FROM (
      SELECT o.ord, r.run_key,
        r.run_key IS NULL OR r.status <> o.status OR r.wake_at IS DISTINCT FROM o.wake_at
          OR coalesce(r.goal <> o.goal, false) AS relist,
        CASE
          WHEN again AND EXISTS (SELECT FROM events e WHERE e.run_key = r.run_key AND e.seq = o.last_seq
            AND e.hash = decode(o.last_hash, 'hex')) THEN 'mine'
          WHEN l.owner IS NULL OR l.epoch <> o.epoch THEN 'fenced'
          WHEN coalesce(h.seq, 0) <> o.expected THEN 'conflict'
          WHEN h.hash <> decode(o.before, 'hex') THEN 'unlinked'
          ELSE 'appended'
        END AS verdict
      FROM unnest(runs, expecteds, epochs, befores, last_seqs, last_hashes, statuses, wake_ats, goals)
          WITH ORDINALITY AS o (run, expected, epoch, before, last_seq, last_hash, status, wake_at, goal, ord)
        LEFT JOIN LATERAL (SELECT * FROM leases WHERE address = o.run LIMIT 1) l ON true
        LEFT JOIN LATERAL (SELECT * FROM runs WHERE run = o.run LIMIT 1) r ON true
        LEFT JOIN LATERAL (SELECT * FROM heads WHERE run_key = r.run_key LIMIT 1) h ON true
    ) j;

    IF true = ANY (relists) THEN
      FOR one IN SELECT * FROM unnest(runs, ats, statuses, wake_ats, goals) WITH ORDINALITY
          AS o (run, at, status, wake_at, goal, ord) WHERE relists[o.ord] ORDER BY o.ord LOOP
        IF keys[one.ord] = -1 THEN
          INSERT INTO runs AS r (run, status, wake_at, created_at, goal, seal)
          VALUES (one.run, one.status, one.wake_at, one.at, one.goal,
            seal_of(one.run, one.status, one.wake_at::text, one.at::text, one.goal))
          RETURNING r.run_key INTO new_key;
          keys[one.ord] := new_key;
        ELSE
          UPDATE runs r SET status = one.status, wake_at = one.wake_at, goal = coalesce(one.goal, r.goal),
            seal = seal_of(r.run, one.status, one.wake_at::text, r.created_at::text, coalesce(one.goal, r.goal))
          WHERE r.run_key = keys[one.ord];
        END IF;
      END LOOP;
    END IF;

    FOR one IN SELECT * FROM unnest(mail_orders, mail_ids) AS m (ord, id) WHERE keys[m.ord] <> 0 LOOP
      UPDATE inbox i SET consumed = 1, seal = seal_of(i.id, i.address, i.at::text, '1', i.body)
      WHERE i.id = one.id AND i.address = runs[one.ord] AND i.consumed = 0
        AND i.seal = seal_of(i.id, i.address, i.at::text, '0', i.body);
    END LOOP;

    RETURN QUERY
    WITH written AS (
      INSERT INTO events (run_key, seq, at, type, hash, data)
      SELECT keys[e.ord], e.seq, ats[e.ord], e.type, decode(e.hash, 'hex'), e.data
      FROM unnest(event_orders, event_seqs, event_types, event_hashes, event_datas)
        WITH ORDINALITY AS e (ord, seq, type, hash, data, n)
      WHERE keys[e.ord] <> 0 ORDER BY e.n
      RETURNING run_key, seq, at, hash, position
    ), ends AS MATERIALIZED (
      SELECT DISTINCT ON (run_key) array_position(keys, run_key) AS ord, run_key, seq, at, hash, position
      FROM written ORDER BY run_key, seq DESC
    ), headed AS (
      INSERT INTO heads (run_key, seq, hash, position, updated_at, seal)
      SELECT e.run_key, e.seq, e.hash, e.position, e.at, head_seals[e.ord] FROM ends e
      ON CONFLICT (run_key) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, position = excluded.position,
        updated_at = excluded.updated_at, seal = excluded.seal
    )
    SELECT e.ord, 'appended', e.position, NULL::bigint, NULL, NULL, NULL::bigint, NULL, NULL,
      NULL::bigint, NULL, NULL::bigint, NULL
    FROM ends e;

    IF 0 = ANY (keys) THEN
      RETURN QUERY
      SELECT v.ord::integer, v.verdict, coalesce(m.position, h.position),
        l.epoch, l.owner, l.host, l.pid, l.started_at, l.seal,
        h.seq, encode(h.hash, 'hex'), h.updated_at, h.seal
      FROM unnest(runs, verdicts, last_seqs) WITH ORDINALITY AS v (run, verdict, last_seq, ord)
        LEFT JOIN LATERAL (SELECT * FROM leases WHERE address = v.run LIMIT 1) l ON true
        LEFT JOIN LATERAL (SELECT * FROM runs WHERE run = v.run LIMIT 1) r ON true
        LEFT JOIN LATERAL (SELECT * FROM heads WHERE run_key = r.run_key LIMIT 1) h ON true
        LEFT JOIN LATERAL (SELECT e.position FROM events e
          WHERE v.verdict = 'mine' AND e.run_key = r.run_key AND e.seq = v.last_seq LIMIT 1) m ON true
      WHERE keys[v.ord] = 0;
    END IF;
  END $$;`;
