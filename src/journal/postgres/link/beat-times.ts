/**
 * When an owner last gave a sign of life, by the server's clock: hosts do not compare theirs. Owners of a version that
 * does not write it have no time and a seal without it; such a process may be at work beside newer ones, so what it
 * calls (`put_lease`) is left as it is and called by what newer ones call.
 */
export const BEAT_TIMES = `
  ALTER TABLE owners ADD COLUMN beat_at bigint;

  CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  $$;

  CREATE FUNCTION claim_lease(
    the_address text, seen_epoch bigint, seen_owner text, seen_beats bigint,
    new_epoch bigint, new_owner text, new_host text, new_pid bigint, new_started_at text, new_seal text
  ) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    at bigint := now_ms();
  BEGIN
    IF NOT put_lease(the_address, seen_epoch, seen_owner, seen_beats,
        new_epoch, new_owner, new_host, new_pid, new_started_at, new_seal) THEN
      RETURN false;
    END IF;
    UPDATE owners SET beat_at = at, seal = seal_of(owner, beats::text, at::text)
    WHERE owner = new_owner AND beat_at IS NULL AND seal = seal_of(owner, beats::text);
    RETURN true;
  END $$;

  CREATE FUNCTION beat_owner(the_owner text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    at bigint := now_ms();
  BEGIN
    UPDATE owners SET beats = beats + 1, beat_at = at, seal = seal_of(owner, (beats + 1)::text, at::text)
    WHERE owner = the_owner AND seal = CASE WHEN beat_at IS NULL THEN seal_of(owner, beats::text)
      ELSE seal_of(owner, beats::text, beat_at::text) END;
  END $$;`;
