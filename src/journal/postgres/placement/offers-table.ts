/**
 * Queued runs as hosts are offered them. A row is there exactly while its run is queued: triggers see to that in the
 * transaction of the append, so that nothing needs to be reconciled.
 *
 * `asked` is where the run may be worked, as its first event says; `fair` stands for its owner and repository; `turn` is
 * its place in the order. A run's turn is one behind the last of the same owner and repository, and no earlier than the
 * first that waits: so the queues of all of them take turns, and one that was empty does not overtake for what it
 * missed (start-time fair queueing). Two runs that are created in the same moment may have the same turn; nobody waits
 * for anybody. `free_at` is when it is offered again: a host that took the offer and died takes nothing with it.
 *
 * Every look goes by an index to the first rows, so that a look costs the same however many runs are queued.
 */
export const OFFERS_TABLE = `
  CREATE TABLE offers (
    run_key bigint PRIMARY KEY REFERENCES runs (run_key) ON DELETE CASCADE,
    run text COLLATE "C" NOT NULL UNIQUE,
    asked text COLLATE "C" NOT NULL,
    fair text COLLATE "C" NOT NULL,
    turn bigint NOT NULL,
    free_at bigint NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX offers_in_turn ON offers (asked, turn, run_key);
  CREATE INDEX offers_of_queue ON offers (asked, fair, turn);

  CREATE FUNCTION offer_run(the_key bigint, the_data text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    the_asked text := '{}';
    the_fair text := '';
  BEGIN
    BEGIN
      the_asked := coalesce((the_data::json -> 'placement')::text, '{}');
      the_fair := md5(coalesce((the_data::json -> 'by')::text, '') ||
        coalesce((the_data::json -> 'repository')::text, (the_data::json -> 'cwd')::text, ''));
    EXCEPTION WHEN data_exception THEN
      -- Who takes it finds the damage.
      NULL;
    END;
    INSERT INTO offers (run_key, run, asked, fair, turn, free_at)
    SELECT r.run_key, r.run, left(the_asked, 2000), the_fair, greatest(
      coalesce((SELECT max(o.turn) + 1 FROM offers o WHERE o.asked = the_asked AND o.fair = the_fair), 0),
      coalesce((SELECT min(o.turn) FROM offers o WHERE o.asked = the_asked), 0)), 0
    FROM runs r WHERE r.run_key = the_key AND r.status = 'queued'
    ON CONFLICT DO NOTHING;
  END $$;

  CREATE FUNCTION offer_created() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM offer_run(NEW.run_key, NEW.data);
    RETURN NULL;
  END $$;
  CREATE TRIGGER offer_created AFTER INSERT ON events FOR EACH ROW
    WHEN (NEW.seq = 1 AND NEW.type = 'RunCreated') EXECUTE FUNCTION offer_created();

  CREATE FUNCTION offer_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.status = 'queued' THEN
      PERFORM offer_run(e.run_key, e.data) FROM events e
        WHERE e.run_key = NEW.run_key AND e.seq = 1 AND e.type = 'RunCreated';
    ELSE
      DELETE FROM offers WHERE run_key = NEW.run_key;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER offer_changed AFTER UPDATE OF status ON runs FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND (OLD.status = 'queued' OR NEW.status = 'queued'))
    EXECUTE FUNCTION offer_changed();

  SELECT count(offer_run(e.run_key, e.data)) FROM runs r JOIN events e ON e.run_key = r.run_key AND e.seq = 1
    WHERE r.status = 'queued' AND e.type = 'RunCreated';
`;
