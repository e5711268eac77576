import { CONSUMED_BODY } from "../../mail-row.ts";

/**
 * The function for the common append: to one run that is there already, by its owner, at its end. It is the short form
 * of `append_orders`; everything that is not common changes nothing and is answered by no row, and the client then asks
 * that one.
 *
 * The lock is taken by a statement of its own, so that the next one sees all that was committed before.
 */
export const APPEND_ONE = `
  CREATE FUNCTION append_one(
    the_run text, the_expected bigint, the_epoch bigint, the_at bigint, the_before text, the_seal text,
    the_status text, the_wake_at bigint, the_goal text,
    types text[], hashes text[], datas text[], mails text[]
  ) RETURNS TABLE (ord integer, verdict text, "position" bigint, found json) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    seen record;
    last_hash bytea;
    last_position bigint;
  BEGIN
    PERFORM lock_address(the_run);

    SELECT l.epoch, l.owner, r.run_key, r.status, r.wake_at, r.goal, h.seq, h.hash INTO seen
    FROM leases l JOIN runs r ON r.run = the_run JOIN heads h ON h.run_key = r.run_key WHERE l.address = the_run;
    IF seen.owner IS NULL OR seen.epoch <> the_epoch OR seen.seq <> the_expected
        OR seen.hash <> decode(the_before, 'hex') THEN
      RETURN;
    END IF;

    IF seen.status <> the_status OR seen.wake_at IS DISTINCT FROM the_wake_at
        OR coalesce(seen.goal <> the_goal, false) THEN
      UPDATE runs r SET status = the_status, wake_at = the_wake_at, goal = coalesce(the_goal, r.goal),
        seal = seal_of(r.run, the_status, the_wake_at::text, r.created_at::text, coalesce(the_goal, r.goal))
      WHERE r.run_key = seen.run_key;
    END IF;

    IF cardinality(mails) > 0 THEN
      -- Its words are in the journal now. A row that was changed is taken too, and stays as it is, to be found.
      UPDATE inbox i SET consumed = 1,
        seal = CASE WHEN i.seal = seal_of(i.id, i.address, i.at::text, '0', i.body)
          THEN seal_of(i.id, i.address, i.at::text, '1', '${CONSUMED_BODY}') ELSE i.seal END,
        body = CASE WHEN i.seal = seal_of(i.id, i.address, i.at::text, '0', i.body)
          THEN '${CONSUMED_BODY}' ELSE i.body END
      WHERE i.id = ANY (mails) AND i.address = the_run AND i.consumed = 0;
    END IF;

    FOR nth IN 1 .. cardinality(types) LOOP
      last_hash := decode(hashes[nth], 'hex');
      INSERT INTO events AS e (run_key, seq, at, type, hash, data)
      VALUES (seen.run_key, the_expected + nth, the_at, types[nth], last_hash, datas[nth])
      RETURNING e.position INTO last_position;
    END LOOP;
    UPDATE heads h SET seq = the_expected + cardinality(types), hash = last_hash, position = last_position,
      updated_at = the_at, seal = the_seal
    WHERE h.run_key = seen.run_key;
    RETURN QUERY SELECT 1, 'appended', last_position, NULL::json;
  END $$;`;
