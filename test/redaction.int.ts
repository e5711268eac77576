import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { openPostgresJournal } from "../src/journal/postgres/postgres-journal.ts";
import { openSqliteJournal } from "../src/journal/sqlite/sqlite-journal.ts";
import type { Journal } from "../src/journal/journal.ts";
import { redactor } from "../src/model/text/redact.ts";
import { redactingInbox } from "../src/redaction.ts";
import { claimed, order, quietWorld } from "./journal/contract/scene.ts";
import { postgresMissing, startPostgres } from "./postgres-server.ts";

const SECRET = "known-to-the-supervisor-4711";
const redact = redactor([{ name: "GH_TOKEN", value: SECRET }]);
const root = mkdtempSync(path.join(tmpdir(), "holdfast-redaction-"));
after(() => rmSync(root, { recursive: true }));

const noLook = (): Promise<void> => Promise.resolve();

/** A process that does not know the secret asks; the supervisor takes it, and answers. */
async function taken(asker: Journal, supervisor: Journal, between = noLook): Promise<void> {
  await claimed(supervisor, "run_a");
  await supervisor.append(order("run_a", 0));
  const words = { kind: "tell", text: `use ${SECRET} for it` } as const;
  await asker.ask({ id: "req_1", address: "run_a", request: words, by: "agent:work#1", at: 1 });
  const journal = redactingInbox(supervisor, redact);
  const [row] = await journal.inbox("run_a");
  assert.match(JSON.stringify(row), /use \[redacted: GH_TOKEN\] for it/);
  await between();
  const outcome = await journal.append(order("run_a", 1, { consumed: ["req_1"] }));
  assert.equal(outcome.kind, "appended");
}

test("P5 a known secret in the words of an agent's tool is left in no byte of the store once they are taken", async () => {
  const file = path.join(root, "journal.db");
  const asker = await openSqliteJournal({ file, world: quietWorld() });
  const supervisor = await openSqliteJournal({ file, world: quietWorld() });
  await taken(asker, supervisor, async () => assert.notEqual(await asker.traces([SECRET]), 0));
  for (const journal of [asker, supervisor]) {
    assert.equal(await journal.traces([SECRET]), 0);
    assert.deepEqual(await journal.verify(), []);
    await journal.close();
  }
});

test(
  "P5 a known secret in the words of an agent's tool is left in no row and no file of a table on PostgreSQL",
  { skip: postgresMissing() ?? false },
  async () => {
    const server = await startPostgres();
    try {
      const open = () => openPostgresJournal({ url: server.url, world: quietWorld() });
      const [asker, supervisor] = [await open(), await open()];
      const placeInFile = async (): Promise<unknown> => {
        await server.query("CHECKPOINT");
        const [found] = await server.query(
          "SELECT position($1::bytea in pg_read_binary_file(pg_relation_filepath('holdfast.inbox'))) AS at",
          [Buffer.from(SECRET)],
        );
        return found?.["at"];
      };
      await taken(asker, supervisor, async () => assert.notEqual(await placeInFile(), 0));
      assert.equal(await placeInFile(), 0);
      const rows = JSON.stringify(await server.query("SELECT * FROM holdfast.inbox"));
      assert.doesNotMatch(rows, new RegExp(SECRET));
      // A table that somebody else holds is not waited for long, and the one that writes does not wait at all.
      const reader = server.query("BEGIN; LOCK holdfast.inbox IN SHARE MODE; SELECT pg_sleep(3); ROLLBACK");
      await new Promise((resolve) => setTimeout(resolve, 300));
      const purging = assert.rejects(supervisor.purge("requests"), /lock/);
      assert.equal((await supervisor.append(order("run_a", 2))).kind, "appended");
      await purging;
      await reader;
      assert.deepEqual(await asker.verify(), []);
      await asker.close();
      await supervisor.close();
    } finally {
      await server.remove();
    }
  },
);
