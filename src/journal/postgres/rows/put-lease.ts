/**
 * The function that changes a lease if it still is as its changer saw it; part of the schema's first step.
 * It locks the address as an append does: otherwise a former owner's append, decided before the change, could be
 * committed after it (I9). It locks both owners too: one is forgotten with its last lease.
 */
export const PUT_LEASE = `
  CREATE FUNCTION put_lease(
    the_address text, seen_epoch bigint, seen_owner text, seen_beats bigint,
    new_epoch bigint, new_owner text, new_host text, new_pid bigint, new_started_at text, new_seal text
  ) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    found record;
  BEGIN
    PERFORM lock_addresses(ARRAY[the_address, 'owner:' || seen_owner, 'owner:' || new_owner]);

    SELECT l.epoch, l.owner, o.beats INTO found
    FROM leases l LEFT JOIN owners o ON o.owner = l.owner WHERE l.address = the_address;
    IF coalesce(found.epoch, 0) <> seen_epoch OR found.owner IS DISTINCT FROM seen_owner
        OR coalesce(found.beats, 0) <> seen_beats THEN
      RETURN false;
    END IF;

    INSERT INTO leases (address, epoch, owner, host, pid, started_at, seal)
    VALUES (the_address, new_epoch, new_owner, new_host, new_pid, new_started_at, new_seal)
    ON CONFLICT (address) DO UPDATE SET epoch = excluded.epoch, owner = excluded.owner, host = excluded.host,
      pid = excluded.pid, started_at = excluded.started_at, seal = excluded.seal;
    -- Owners are known only while they hold a lease, so that their number stays bounded.
    IF new_owner IS NOT NULL THEN
      INSERT INTO owners (owner, beats, seal) VALUES (new_owner, 0, seal_of(new_owner, '0'))
      ON CONFLICT (owner) DO NOTHING;
    END IF;
    DELETE FROM owners o WHERE o.owner = seen_owner AND NOT EXISTS (SELECT FROM leases l WHERE l.owner = seen_owner);
    RETURN true;
  END $$;`;

/** For stores that were made with an earlier form of it. */
export const REPLACE_PUT_LEASE = PUT_LEASE.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION");
