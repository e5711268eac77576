/**
 * The function that removes a run; the schema's second step. It locks the run as an append does, so that nothing
 * is written to it between the decision and the removal; and the owner as a lease change does: if the lease has changed
 * hands since that was looked up, the epoch refuses it. Large values go last, so that few wait for them.
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
    PERFORM lock_addresses(ARRAY[the_run, (SELECT 'owner:' || l.owner FROM leases l WHERE l.address = the_run)]);

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
      DELETE FROM inbox i WHERE i.address = the_run;
      PERFORM lock_large_values(true);
      DELETE FROM runs r WHERE r.run_key = the_key;
      UPDATE leases l SET owner = NULL, host = NULL, pid = NULL, started_at = NULL, seal = free_seal
      WHERE l.address = the_run;
      DELETE FROM owners o WHERE o.owner = found.owner
        AND NOT EXISTS (SELECT FROM leases l WHERE l.owner = found.owner);
    END IF;

    RETURN QUERY SELECT judged, found.epoch, found.owner, found.host, found.pid, found.started_at,
      found.lease_seal, found.seq, found.hash, found.position, found.updated_at, found.head_seal;
  END $$;`;

/** For stores that were made with an earlier form of it. */
export const REPLACE_REMOVE_RUN = REMOVE_RUN.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION");
