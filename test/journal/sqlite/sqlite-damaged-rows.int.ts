import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import { absence } from "../../../src/journal/sqlite/mark/absence.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { isFault } from "../../../src/model/fault.ts";
import { claimed, headIn, order, quietWorld } from "../contract/scene.ts";
import { makeFolder, removeFolder } from "../store-folder.ts";

/** Changes a row behind the store's back, then looks. */
async function afterChange(sql: string, look: (journal: Journal) => Promise<void>): Promise<void> {
  const folder = makeFolder("quick");
  const file = join(folder, "store.db");
  try {
    await fillStore(file);
    const db = new DatabaseSync(file);
    assert.equal(db.prepare(sql).run().changes, 1, sql);
    db.close();
    const journal = await openSqliteJournal({ file, world: quietWorld() });
    await look(journal).finally(() => journal.close());
  } finally {
    removeFolder(folder);
  }
}

async function fillStore(file: string): Promise<void> {
  const journal = await openSqliteJournal({ file, world: quietWorld() });
  await claimed(journal, "run_a");
  const head = headIn(await journal.append(order("run_a", 0)));
  await journal.saveSnapshot("run_a", { seq: 1, hash: head.hash, fold: "1", state: "{}" });
  await journal.ask({ id: "req_1", address: "run_a", request: { kind: "pause" }, by: "cli", at: 1 });
  await journal.close();
}

const isDamage = (error: unknown): boolean => isFault(error, "journal_damaged");

const SEEN_BY: Readonly<
  Record<string, readonly (readonly [string, (journal: Journal) => Promise<unknown>])[]>
> = {
  "UPDATE runs SET status = 'completed'": [["runs", (journal) => journal.runs()]],
  "UPDATE runs SET status = 'runnine'": [
    ["runs by status", (journal) => journal.runs({ statuses: ["running"] })],
  ],
  "UPDATE runs SET goal = '\"other\"'": [["runs", (journal) => journal.runs()]],
  "UPDATE runs SET wake_at = 5": [["runs", (journal) => journal.runs()]],
  "UPDATE events SET key = key + 1 WHERE type = ''": [
    ["head", (journal) => journal.head("run_a")],
    ["read", (journal) => journal.read("run_a", { after: 0, limit: 9 })],
    ["append", (journal) => journal.append(order("run_a", 1))],
  ],
  "UPDATE events SET hash = x'00' WHERE type = ''": [
    ["head", (journal) => journal.head("run_a")],
    ["append", (journal) => journal.append(order("run_a", 1))],
  ],
  "UPDATE events SET at = at + 1 WHERE type = ''": [["runs", (journal) => journal.runs()]],
  "UPDATE events SET type = 'RunStarted' WHERE type = ''": [
    ["head", (journal) => journal.head("run_a")],
    ["read", (journal) => journal.read("run_a", { after: 0, limit: 9 })],
    ["append", (journal) => journal.append(order("run_a", 1))],
  ],
  "DELETE FROM events WHERE type = ''": [
    ["head", (journal) => journal.head("run_a")],
    ["read", (journal) => journal.read("run_a", { after: 0, limit: 9 })],
    ["runs", (journal) => journal.runs()],
    ["append", (journal) => journal.append(order("run_a", 1))],
  ],
  "UPDATE leases SET epoch = 2": [
    ["lease", (journal) => journal.lease("run_a")],
    ["append", (journal) => journal.append(order("run_a", 1))],
  ],
  "UPDATE leases SET pid = 1": [["lease", (journal) => journal.lease("run_a")]],
  "UPDATE owners SET beats = 7": [
    ["lease", (journal) => journal.lease("run_a")],
    ["beat", (journal) => journal.beat("own_a")],
  ],
  "DELETE FROM owners": [["lease", (journal) => journal.lease("run_a")]],
  "UPDATE events SET at = 9223372036854775807 WHERE type <> ''": [
    ["read", (journal) => journal.read("run_a", { after: 0, limit: 9 })],
  ],
};

for (const [sql, looks] of Object.entries(SEEN_BY))
  test(`J2 a changed row is found by the one that reads it, and by verify: ${sql}`, async () => {
    await afterChange(sql, async (journal) => {
      for (const [what, look] of looks) await assert.rejects(look(journal), isDamage, what);
      assert.ok((await journal.verify()).length > 0);
    });
  });

test("J2 a changed snapshot is as good as none", async () => {
  for (const change of ["state = '{\"a\":1}'", "fold = '2'", "seq = 9223372036854775807"])
    await afterChange(`UPDATE snapshots SET ${change}`, async (journal) => {
      assert.equal(await journal.loadSnapshot("run_a"), null);
    });
});

test("J2 a lease or a run that another process puts in between two looks is not taken for a hidden one", async () => {
  const folder = makeFolder("quick");
  const file = join(folder, "store.db");
  try {
    await fillStore(file);
    const db = new DatabaseSync(file);
    // The first look has found nothing, and by now it is there: the index knows it.
    const absent = absence(db);
    absent.ofLease("run_a");
    absent.ofRun("run_a");
    db.exec("BEGIN");
    absent.ofLease("run_a");
    absent.ofLease("nobody");
    db.exec("COMMIT");
    db.close();
  } finally {
    removeFolder(folder);
  }
});

for (const sql of [
  "UPDATE inbox SET body = '{}'",
  "UPDATE inbox SET body = 'no json'",
  "UPDATE inbox SET at = 7",
])
  test(`J2 P4 a changed row of the inbox, which anybody may write, is handed over as damaged, kept, and found by verify: ${sql}`, async () => {
    await afterChange(sql, async (journal) => {
      await journal.ask({ id: "req_2", address: "run_a", request: { kind: "pause" }, by: "cli", at: 2 });
      const [damaged, good] = await journal.inbox("run_a");
      assert.match(damaged?.damaged ?? "", /does not match its seal/);
      assert.deepEqual([damaged?.id, good?.damaged, good?.request], ["req_1", undefined, { kind: "pause" }]);
      assert.equal((await journal.append(order("run_a", 1, { consumed: ["req_1"] }))).kind, "appended");
      assert.deepEqual(
        (await journal.inbox("run_a")).map(({ id }) => id),
        ["req_2"],
        "it is not seen again",
      );
      assert.match((await journal.verify()).map(({ what }) => what).join("; "), /does not match its seal/);
    });
  });
