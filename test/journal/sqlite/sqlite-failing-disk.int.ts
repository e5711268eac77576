import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  DatabaseSync,
  type SQLInputValue,
  type StatementResultingChanges,
  type StatementSync,
} from "node:sqlite";
import { test } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { SQL } from "../../../src/journal/sqlite/statements.ts";
import { isFault, type FaultCode } from "../../../src/model/fault.ts";
import { all, claimed, headIn, order, quietWorld, said } from "../contract/scene.ts";
import { makeFolder, removeFolder } from "../store-folder.ts";

const SQLITE_IOERR_FSYNC = 1034;
const SQLITE_IOERR_WRITE = 778;
const SQLITE_IOERR_SHMSIZE = 4874;

/** A connection whose n-th commit fails as SQLite fails when the disk refuses, before or after the data reached it. */
class FailingDisk extends DatabaseSync {
  commitsLeft = Number.POSITIVE_INFINITY;
  errcode = SQLITE_IOERR_FSYNC;
  /** Whether what is refused has reached the disk all the same. */
  isWritten = false;

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    // A lone append commits by itself.
    if (sql !== "COMMIT" && sql !== SQL.appendAlone) return statement;
    const run = statement.run.bind(statement);
    const commits = (...values: SQLInputValue[]): StatementResultingChanges => {
      this.commitsLeft -= 1;
      if (this.commitsLeft >= 0) return run(...values);
      if (this.isWritten) run(...values);
      throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: this.errcode });
    };
    statement.run = commits as StatementSync["run"];
    return statement;
  }
}

interface Scene {
  readonly file: string;
  readonly journal: Journal;
  readonly disk: FailingDisk;
}

async function onFailingDisk(play: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = makeFolder();
  const file = join(folder, "store.db");
  let disk: FailingDisk | null = null;
  const connect = (path: string) => (disk = new FailingDisk(path, { timeout: 20 }));
  const journal = await openSqliteJournal({ file, world: quietWorld(), connect });
  try {
    assert.ok(disk !== null);
    await play({ file, journal, disk });
  } finally {
    await journal.close();
    removeFolder(folder);
  }
}

async function withReopened(file: string, look: (journal: Journal) => Promise<void>): Promise<void> {
  const journal = await openSqliteJournal({ file, world: quietWorld() });
  try {
    await look(journal);
  } finally {
    await journal.close();
  }
}

const is = (code: FaultCode) => (error: unknown) => isFault(error, code);

for (const [what, errcode] of [
  ["a sync", SQLITE_IOERR_FSYNC],
  ["a write", SQLITE_IOERR_WRITE],
] as const)
  test(`J1 after the disk refused ${what}, nothing more is acknowledged until the store is reopened and nothing acknowledged is lost`, async () => {
    for (let nth = 0; nth < 8; nth += 1)
      await onFailingDisk(async ({ file, journal, disk }) => {
        await claimed(journal, "run_a");
        await claimed(journal, "run_b");
        disk.errcode = errcode;
        disk.commitsLeft = nth;
        for (let expected = 0; expected < nth; expected += 1)
          headIn(await journal.append(order("run_a", expected)));
        const sharing = [journal.append(order("run_a", nth)), journal.append(order("run_b", 0))];
        for (const append of sharing) await assert.rejects(append, is("store_failed"));
        disk.commitsLeft = Number.POSITIVE_INFINITY;
        await assert.rejects(journal.append(order("run_a", nth)), is("store_failed"));
        await assert.rejects(journal.head("run_a"), is("store_failed"));
        await journal.close();
        await withReopened(file, async (reopened) => {
          assert.equal((await reopened.read("run_a", all)).length, nth);
          assert.deepEqual(await reopened.verify(), []);
          headIn(await reopened.append(order("run_a", nth)));
        });
      });
  });

test("J1 on a full disk an append is refused as a whole, what was acknowledged stays, and it goes on after space returns", async () => {
  await onFailingDisk(async ({ file, journal, disk }) => {
    await claimed(journal, "run_a");
    disk.exec("PRAGMA max_page_count = 40");
    const events = [said("x".repeat(5_000)), said("y".repeat(5_000))];
    let kept = 0;
    const fill = async (): Promise<void> => {
      for (;;) kept = headIn(await journal.append(order("run_a", kept, { events }))).seq;
    };
    await assert.rejects(fill(), is("store_full"));
    assert.ok(kept > 0);
    await assert.rejects(journal.append(order("run_a", kept, { events })), is("store_full"));
    assert.equal((await journal.read("run_a", all)).length, kept);
    disk.exec("PRAGMA max_page_count = 4000");
    headIn(await journal.append(order("run_a", kept, { events })));
    await journal.close();
    await withReopened(file, async (reopened) => {
      assert.equal((await reopened.read("run_a", all)).length, kept + 2);
      assert.deepEqual(await reopened.verify(), []);
    });
  });
});

for (const isWritten of [false, true]) {
  const failOnce = (disk: FailingDisk): void => {
    disk.errcode = SQLITE_IOERR_SHMSIZE;
    disk.isWritten = isWritten;
    disk.commitsLeft = 0;
  };
  const where = `where its last commit ${isWritten ? "was" : "was not"} made`;

  test(`J1 L7 a connection that failed for want of room is replaced by itself, ${where}`, async () => {
    await onFailingDisk(async ({ file, journal, disk }) => {
      await claimed(journal, "run_a");
      headIn(await journal.append(order("run_a", 0)));
      let changes = 0;
      journal.watch(() => (changes += 1));
      failOnce(disk);
      await assert.rejects(journal.append(order("run_a", 1)), is("store_full"));
      const before = changes;
      const kept = await journal.read("run_a", all);
      assert.equal(kept.length, isWritten ? 2 : 1, "what was kept is known again");
      headIn(await journal.append(order("run_a", kept.length)));
      assert.ok(changes > before, "who watches is told");
      await journal.close();
      await assert.rejects(journal.head("run_a"), is("closed"));
      await withReopened(file, async (reopened) => {
        assert.equal((await reopened.read("run_a", all)).length, kept.length + 1);
        assert.deepEqual(await reopened.verify(), []);
      });
    });
  });

  test(`J1 L7 a claim that was answered by a want of room is nobody's afterwards, ${where}`, async () => {
    await onFailingDisk(async ({ journal, disk }) => {
      const { self } = quietWorld();
      const owner = { id: "own_1", process: self };
      assert.equal((await journal.claim("run_a", owner)).kind, "claimed");
      failOnce(disk);
      await assert.rejects(journal.claim("run_b", owner), is("store_full"));
      await journal.head("run_b");
      const again = await journal.claim("run_b", { id: "own_2", process: self });
      assert.equal(again.kind, "claimed");
      assert.equal((await journal.lease("run_a"))?.owner?.id, "own_1", "one that was answered stays");
    });
  });
}

test("J1 a store that cannot be written says so, can still be read, and goes on once it can be written", async () => {
  await onFailingDisk(async ({ journal, disk }) => {
    await claimed(journal, "run_a");
    headIn(await journal.append(order("run_a", 0)));
    disk.exec("PRAGMA query_only = ON");
    await assert.rejects(journal.append(order("run_a", 1)), is("store_readonly"));
    assert.equal((await journal.read("run_a", all)).length, 1);
    disk.exec("PRAGMA query_only = OFF");
    headIn(await journal.append(order("run_a", 1)));
  });
});

test("J1 a store held by another process for too long is busy, not broken", async () => {
  await onFailingDisk(async ({ file, journal }) => {
    await claimed(journal, "run_a");
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    await assert.rejects(journal.append(order("run_a", 0)), is("store_busy"));
    holder.exec("ROLLBACK");
    holder.close();
    headIn(await journal.append(order("run_a", 0)));
  });
});

test("J2 a store of a newer version and a database of something else are refused by name and not touched", async () => {
  for (const [pragma, code] of [
    ["user_version = 99", "store_version"],
    ["application_id = 7", "store_foreign"],
  ] as const)
    await onFailingDisk(async ({ file, journal }) => {
      await journal.close();
      const db = new DatabaseSync(file);
      db.exec(`PRAGMA ${pragma}`);
      db.close();
      await assert.rejects(openSqliteJournal({ file, world: quietWorld() }), is(code));
    });
});

test("J2 acknowledged events that are gone with an older copy of the store are missed at opening", async () => {
  await onFailingDisk(async ({ file, journal }) => {
    await claimed(journal, "run_a");
    headIn(await journal.append(order("run_a", 0)));
    await journal.close();
    const db = new DatabaseSync(file);
    db.exec("DELETE FROM events; DELETE FROM runs");
    db.close();
    await assert.rejects(openSqliteJournal({ file, world: quietWorld() }), (error) => {
      assert.ok(isFault(error, "journal_damaged"));
      return error.message.includes("acknowledged events are missing");
    });
    rmSync(`${file}-ack`);
  });
});
