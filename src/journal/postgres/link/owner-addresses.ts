/**
 * Where an owner's pid means something, and when observers first saw it at its count of beats. Beside the owners, whose
 * rows and seals an older version may still write; what such a process calls (`claim_lease`) is left as it is and called
 * by what newer ones call. Sightings carry the observer's own clock: no clocks of different hosts are compared.
 */
export const OWNER_PLACES = `
  CREATE TABLE owner_places (
    owner text COLLATE "C" PRIMARY KEY,
    space text,
    machine text,
    seal text NOT NULL
  );
  CREATE TABLE sightings (
    owner text COLLATE "C" NOT NULL,
    observer text COLLATE "C" NOT NULL,
    beats bigint NOT NULL,
    seen_at bigint NOT NULL,
    seal text NOT NULL,
    PRIMARY KEY (owner, observer)
  );

  CREATE FUNCTION forget_owner() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM owner_places WHERE owner = old.owner;
    DELETE FROM sightings WHERE owner = old.owner;
    RETURN NULL;
  END $$;
  CREATE TRIGGER forget_owner AFTER DELETE ON owners FOR EACH ROW EXECUTE FUNCTION forget_owner();

  CREATE FUNCTION claim_from_place(
    the_address text, seen_epoch bigint, seen_owner text, seen_beats bigint,
    new_epoch bigint, new_owner text, new_host text, new_pid bigint, new_started_at text, new_seal text,
    new_space text, new_machine text, place_seal text
  ) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT claim_lease(the_address, seen_epoch, seen_owner, seen_beats,
        new_epoch, new_owner, new_host, new_pid, new_started_at, new_seal) THEN
      RETURN false;
    END IF;
    IF new_owner IS NOT NULL THEN
      INSERT INTO owner_places (owner, space, machine, seal) VALUES (new_owner, new_space, new_machine, place_seal)
      ON CONFLICT (owner) DO UPDATE SET space = excluded.space, machine = excluded.machine, seal = excluded.seal;
    END IF;
    RETURN true;
  END $$;`;
