import { CONSUMED_BODY } from "../../mail-row.ts";

/**
 * The function that assesses and writes a batch of appends; part of the schema's first step.
 *
 * Orders, events and consumed requests come as JSON arrays of rows, of which the latter two name their order by its
 * number, from 1. No run occurs twice in a batch. The client has linked the events to the head it knows of; if the
 * store has another, the verdict is `unlinked` and the client looks again. With `again` an earlier try of the same
 * batch may have been carried out without its answer arriving: an order whose last event stands in the run is
 * `mine`, no matter what happened to the run since. With a refusal comes what was found of lease and head.
 *
 * The locks are taken by a statement of their own, so that the next one sees all that was committed before: in one
 * statement, the lease and the head would be those of before the wait. A client cannot hold them: the function is a
 * whole transaction, and the server ends it by itself.
 */
export const APPEND_ORDERS = `
  CREATE FUNCTION append_orders(orders json, news json, mails json, again boolean)
  RETURNS TABLE (ord integer, verdict text, "position" bigint, found json) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    verdicts text[];
    -- The run's key where an order may be written, -1 for a new run, 0 where it is refused.
    keys bigint[];
    ats bigint[];
    seals text[];
    relists boolean[];
    new_key bigint;
    one record;
  BEGIN
    PERFORM lock_addresses(array(SELECT o ->> 'run' FROM json_array_elements(orders) AS o));

    SELECT array_agg(j.verdict), array_agg(j.at), array_agg(j.seal),
      array_agg(CASE j.verdict WHEN 'appended' THEN coalesce(j.run_key, -1) ELSE 0 END),
      array_agg(j.verdict = 'appended' AND j.relist)
    INTO verdicts, ats, seals, keys, relists
    FROM (
      SELECT r.run_key, o.at, o.seal,
        r.run_key IS NULL OR r.status <> o.status OR r.wake_at IS DISTINCT FROM o.wake_at
          OR coalesce(r.goal <> o.goal, false) AS relist,
        CASE
          WHEN again AND EXISTS (SELECT FROM events e WHERE e.run_key = r.run_key AND e.seq = o.last_seq
            AND e.hash = decode(o.last_hash, 'hex')) THEN 'mine'
          WHEN l.owner IS NULL OR l.epoch IS DISTINCT FROM o.epoch THEN 'fenced'
          WHEN coalesce(h.seq, 0) <> o.expected THEN 'conflict'
          WHEN h.hash <> decode(o.before, 'hex') THEN 'unlinked'
          ELSE 'appended'
        END AS verdict
      FROM json_to_recordset(orders) AS o (ord integer, run text, expected bigint, epoch bigint, at bigint,
          before text, last_seq bigint, last_hash text, seal text, status text, wake_at bigint, goal text)
        LEFT JOIN leases l ON l.address = o.run
        LEFT JOIN runs r ON r.run = o.run
        LEFT JOIN heads h ON h.run_key = r.run_key
      ORDER BY o.ord
    ) j;

    IF true = ANY (relists) THEN
      FOR one IN SELECT * FROM json_to_recordset(orders)
          AS o (ord integer, run text, at bigint, status text, wake_at bigint, goal text)
          WHERE relists[o.ord] ORDER BY o.ord LOOP
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

    IF json_array_length(mails) > 0 THEN
      FOR one IN SELECT * FROM json_to_recordset(mails) AS m (ord integer, address text, id text)
          WHERE keys[m.ord] <> 0 LOOP
        -- Its words are in the journal now. A row that was changed is taken too, and stays as it is, to be found.
        UPDATE inbox i SET consumed = 1,
          seal = CASE WHEN i.seal = seal_of(i.id, i.address, i.at::text, '0', i.body)
            THEN seal_of(i.id, i.address, i.at::text, '1', '${CONSUMED_BODY}') ELSE i.seal END,
          body = CASE WHEN i.seal = seal_of(i.id, i.address, i.at::text, '0', i.body)
            THEN '${CONSUMED_BODY}' ELSE i.body END
        WHERE i.id = one.id AND i.address = one.address AND i.consumed = 0;
      END LOOP;
    END IF;

    RETURN QUERY
    WITH written AS (
      INSERT INTO events (run_key, seq, at, type, hash, data)
      SELECT keys[e.ord], e.seq, ats[e.ord], e.type, decode(e.hash, 'hex'), e.data
      FROM json_to_recordset(news) AS e (ord integer, seq bigint, type text, hash text, data text)
      WHERE keys[e.ord] <> 0
      RETURNING run_key, seq, at, hash, position
    ), ends AS MATERIALIZED (
      SELECT DISTINCT ON (run_key) array_position(keys, run_key) AS ord, run_key, seq, at, hash, position
      FROM written ORDER BY run_key, seq DESC
    ), headed AS (
      INSERT INTO heads (run_key, seq, hash, position, updated_at, seal)
      SELECT e.run_key, e.seq, e.hash, e.position, e.at, seals[e.ord] FROM ends e
      ON CONFLICT (run_key) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, position = excluded.position,
        updated_at = excluded.updated_at, seal = excluded.seal
    )
    SELECT e.ord, 'appended', e.position, NULL::json FROM ends e;

    IF 0 = ANY (keys) THEN
      RETURN QUERY
      SELECT o.ord, verdicts[o.ord], m.position, json_build_object(
        'epoch', l.epoch, 'owner', l.owner, 'host', l.host, 'pid', l.pid, 'started_at', l.started_at,
        'lease_seal', l.seal, 'seq', h.seq, 'hash', encode(h.hash, 'hex'), 'position', h.position,
        'updated_at', h.updated_at, 'head_seal', h.seal)
      FROM json_to_recordset(orders) AS o (ord integer, run text, last_seq bigint)
        LEFT JOIN leases l ON l.address = o.run
        LEFT JOIN runs r ON r.run = o.run
        LEFT JOIN heads h ON h.run_key = r.run_key
        LEFT JOIN events m ON verdicts[o.ord] = 'mine' AND m.run_key = r.run_key AND m.seq = o.last_seq
      WHERE keys[o.ord] = 0;
    END IF;
  END $$;`;

/** For stores that were made with an earlier form of it. */
export const REPLACE_APPEND_ORDERS = APPEND_ORDERS.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION");
