import assert from "node:assert/strict";
import { after } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import { startPostgres, type PostgresServer } from "../../postgres-server.ts";
import type { CreateStore } from "./scene.ts";

let starting: Promise<PostgresServer> | null = null;
let stores = 0;

after(async () => (await starting)?.remove());

/** A store in a schema of its own, on one server for all. */
export const createPostgresStore: CreateStore = async (world) => {
  starting ??= startPostgres();
  const server = await starting;
  const schema = `contract_${String((stores += 1))}`;
  const handles: Journal[] = [];
  return {
    async open() {
      const journal = await openPostgresJournal({ url: server.url, schema, world });
      handles.push(journal);
      return journal;
    },
    async tamper(run, seq, how) {
      const change =
        how === "changed"
          ? `UPDATE ${schema}.events SET data = jsonb_set(data::jsonb, '{detail}', '"x"')::text`
          : `DELETE FROM ${schema}.events`;
      const where = `WHERE seq = $1 AND run_key = (SELECT run_key FROM ${schema}.runs WHERE run = $2)`;
      const rows = await server.query(`${change} ${where} RETURNING 1`, [seq, run]);
      assert.equal(rows.length, 1);
    },
    async blobs() {
      const rows = await server.query(`SELECT encode(digest, 'hex') AS digest FROM ${schema}.blobs`, []);
      return rows.map(({ digest }) => String(digest));
    },
    async tamperBlob(digest, how) {
      const change =
        how === "changed"
          ? `UPDATE ${schema}.blobs SET content = '"another"'`
          : `DELETE FROM ${schema}.blobs`;
      const rows = await server.query(`${change} WHERE digest = decode($1, 'hex') RETURNING 1`, [digest]);
      assert.equal(rows.length, 1);
    },
    async cleanup() {
      await Promise.all(handles.map((handle) => handle.close()));
      await server.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
};
