/**
 * Large values by their digests, and which events name them; a step of the schema.
 *
 * They are kept in a transaction before that of the events. It waits its turn like an append does: otherwise a value
 * that another run is just being removed with could be taken for one that is there already. Values of events that were
 * never written stay until their run is removed; they harm nobody. What only a removed run named goes with it.
 */
export const KEEP_BLOBS = `
  CREATE TABLE blobs (
    digest bytea PRIMARY KEY,
    content text NOT NULL
  );
  CREATE TABLE blob_uses (
    run text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (run, seq, digest)
  );
  CREATE INDEX uses_of_blob ON blob_uses (digest);

  CREATE FUNCTION keep_blobs(the_run text, news json) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM take_turn();
    INSERT INTO blobs AS b (digest, content)
    SELECT DISTINCT ON (n.digest) decode(n.digest, 'hex'), n.content
    FROM json_to_recordset(news) AS n (digest text, content text)
    ON CONFLICT (digest) DO UPDATE SET content = excluded.content WHERE b.content <> excluded.content;
    INSERT INTO blob_uses (run, seq, digest)
    SELECT the_run, n.seq, decode(n.digest, 'hex') FROM json_to_recordset(news) AS n (seq bigint, digest text)
    ON CONFLICT DO NOTHING;
  END $$;

  CREATE FUNCTION forget_blobs() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM blobs b USING blob_uses u WHERE u.run = OLD.run AND b.digest = u.digest
      AND NOT EXISTS (SELECT FROM blob_uses o WHERE o.digest = b.digest AND o.run <> OLD.run);
    DELETE FROM blob_uses u WHERE u.run = OLD.run;
    RETURN NULL;
  END $$;
  CREATE TRIGGER forget_blobs AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION forget_blobs();
  `;
