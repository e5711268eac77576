/**
 * The function that removes a run; the schema's second step. It waits its turn like an append does, so that nothing
 * is written to the run between the judgement and the removal.
 */
export const REMOVE_RUN = `
  CREATE FUNCTION remove_run(
    the_run text, the_epoch bigint, the_seq bigint, the_hash text, free_seal text
  ) RETURNS TABLE (
    verdict text, epoch bigint, owner text, host text, pid bigint, started_at text, lease_seal text,
    seq bigint, hash text, "position" bigint, updated_at bigint, head_seal text
  ) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    found record;
    the_key bigint;
    judged text;
  BEGIN
    PERFORM take_turn();

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
      WHEN EXISTS (SELECT FROM inbox i WHERE i.address = the_run AND i.consumed = 0) THEN 'asked'
      ELSE 'removed'
    END;

    IF judged = 'removed' THEN
      DELETE FROM snapshots s WHERE s.run_key = the_key;
      DELETE FROM heads h WHERE h.run_key = the_key;
      DELETE FROM events e WHERE e.run_key = the_key;
      DELETE FROM runs r WHERE r.run_key = the_key;
      DELETE FROM inbox i WHERE i.address = the_run;
      UPDATE leases l SET owner = NULL, host = NULL, pid = NULL, started_at = NULL, seal = free_seal
      WHERE l.address = the_run;
      DELETE FROM owners o WHERE o.owner = found.owner
        AND NOT EXISTS (SELECT FROM leases l WHERE l.owner = found.owner);
    END IF;

    RETURN QUERY SELECT judged, found.epoch, found.owner, found.host, found.pid, found.started_at,
      found.lease_seal, found.seq, found.hash, found.position, found.updated_at, found.head_seal;
  END $$;`;
