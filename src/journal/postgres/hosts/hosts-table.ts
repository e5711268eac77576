/** What hosts say of themselves, and who asked them to drain. No run depends on it: leases decide who works what. */
export const HOSTS_TABLE = `
  CREATE TABLE hosts (
    id text COLLATE "C" PRIMARY KEY,
    facts text NOT NULL,
    drained_by text,
    joined_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    beats bigint NOT NULL
  ) WITH (fillfactor = 50);
`;
