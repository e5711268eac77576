/**
 * Who waits for whom; a step of the schema.
 *
 * Everything that changes a run or a lease first locks its address, so that an append and a change of the lease it was
 * made under exclude each other (I9), and runs do not wait for each other. A lease change locks the owners it concerns
 * too: an owner is forgotten with its last lease, no matter who takes that. Several addresses are locked in the order
 * of their keys, so that nobody waits in a circle; two addresses of one key merely share a lock.
 *
 * Every change also shares the store's one lock, which until then each had alone: a change that an earlier form of
 * these functions began before this step was committed is still waited for, and waits for those of the new form.
 *
 * Large values are shared by runs. Keeping them shares a lock of their own, and removing them has it alone: a value
 * that goes with the last run that named it must not be found by one that begins to name it.
 */
export const ADDRESS_LOCKS = `
  CREATE FUNCTION address_key(address text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT hashtextextended(current_schema() || ' ' || address, 1213156420)
  $$;

  CREATE FUNCTION lock_addresses(addresses text[]) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    key bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(1213156420, hashtext(current_schema()));
    FOR key IN SELECT DISTINCT address_key(a) FROM unnest(addresses) AS a WHERE a IS NOT NULL ORDER BY 1 LOOP
      PERFORM pg_advisory_xact_lock(key);
    END LOOP;
  END $$;

  CREATE FUNCTION lock_address(address text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(1213156420, hashtext(current_schema())),
      pg_advisory_xact_lock(address_key(address));
  END $$;

  CREATE FUNCTION lock_large_values(alone boolean) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(1213156420, hashtext(current_schema()));
    IF alone THEN
      PERFORM pg_advisory_xact_lock(address_key('large values:'));
    ELSE
      PERFORM pg_advisory_xact_lock_shared(address_key('large values:'));
    END IF;
  END $$;
  `;
