const KEEP_FUNCTION = `CREATE FUNCTION keep_blobs(the_run text, news json) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM lock_large_values(false);
    INSERT INTO blobs AS b (digest, content)
    SELECT DISTINCT ON (n.digest) decode(n.digest, 'hex'), n.content
    FROM json_to_recordset(news) AS n (digest text, content text) ORDER BY n.digest
    ON CONFLICT (digest) DO UPDATE SET content = excluded.content WHERE b.content <> excluded.content;
    INSERT INTO blob_uses (run, seq, digest)
    SELECT the_run, n.seq, decode(n.digest, 'hex') FROM json_to_recordset(news) AS n (seq bigint, digest text)
    ON CONFLICT DO NOTHING;
  END $$;`;

/**
 * Large values by their digests, and which events name them; a step of the schema.
 *
 * They are kept in a transaction before that of the events. It waits while values are removed: otherwise a value that
 * another run is just being removed with could be treated as one that is there already. Keepers insert in the order of
 * digests, so that no two wait for each other in a circle. Values of events that were
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

  ${KEEP_FUNCTION}

  CREATE FUNCTION forget_blobs() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM blobs b USING blob_uses u WHERE u.run = OLD.run AND b.digest = u.digest
      AND NOT EXISTS (SELECT FROM blob_uses o WHERE o.digest = b.digest AND o.run <> OLD.run);
    DELETE FROM blob_uses u WHERE u.run = OLD.run;
    RETURN NULL;
  END $$;
  CREATE TRIGGER forget_blobs AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION forget_blobs();
  `;

/** For stores that were made with an earlier form of it. */
export const REPLACE_KEEP_BLOBS = KEEP_FUNCTION.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION");
