import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import { connectFile } from "../../../src/journal/sqlite/connection.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { isFault } from "../../../src/model/fault.ts";
import { all, claimed, headIn, order, owner, quietWorld } from "../contract/scene.ts";
import { makeFolder, removeFolder } from "../store-folder.ts";

const RUN = "run_lone";

/** Counts the transactions that were begun by a statement of their own. */
class CountedBegins extends DatabaseSync {
  begins = 0;

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    if (!sql.startsWith("BEGIN")) return statement;
    const run = statement.run.bind(statement);
    statement.run = () => {
      this.begins += 1;
      return run();
    };
    return statement;
  }
}

interface Two {
  readonly file: string;
  /** Appended to the run last, and remembers it. */
  readonly one: Journal;
  readonly other: Journal;
  readonly begins: () => number;
}

async function twoHandles(t: TestContext): Promise<Two> {
  const folder = makeFolder("quick");
  const file = path.join(folder, "store.db");
  const world = quietWorld();
  const first: CountedBegins[] = [];
  const connect = (name: string): DatabaseSync => {
    const db = new CountedBegins(name, { timeout: 20 });
    first.push(db);
    return db;
  };
  const one = await openSqliteJournal({ file, world, connect });
  const other = await openSqliteJournal({ file, world, connect: connectFile });
  t.after(async () => {
    await one.close().catch(() => undefined);
    await other.close().catch(() => undefined);
    removeFolder(folder);
  });
  await claimed(one, RUN);
  for (let seq = 0; seq < 3; seq += 1) headIn(await one.append(order(RUN, seq)));
  return { file, one, other, begins: () => first[0]?.begins ?? -1 };
}

const seqsOf = async (journal: Journal): Promise<number[]> =>
  (await journal.readStored(RUN, all)).map(({ seq }) => seq);

test("J1 J3 lone appends of one event to a known run begin no transaction of their own, and are whole", async (t) => {
  const { one, other, begins } = await twoHandles(t);
  const before = begins();
  for (let seq = 3; seq < 10; seq += 1) headIn(await one.append(order(RUN, seq)));
  assert.equal(begins(), before);
  assert.deepEqual(await seqsOf(other), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(await one.verify(), []);
});

test("J1 a lone append sees that another took the run over, or released it, and writes nothing (I9)", async (t) => {
  const { one, other } = await twoHandles(t);
  const seen = await other.lease(RUN);
  assert.ok(seen !== null);
  assert.equal((await other.takeOver(RUN, owner("own_b"), seen)).kind, "claimed");
  assert.deepEqual(await one.append(order(RUN, 3)), { kind: "fenced", currentEpoch: 2 });
  assert.equal(await other.release(RUN, 2), undefined);
  assert.deepEqual(await one.append(order(RUN, 3, { epoch: 2 })), { kind: "fenced", currentEpoch: 2 });
  assert.deepEqual(await seqsOf(other), [1, 2, 3]);
  assert.deepEqual(await one.verify(), []);
});

test("J1 a lone append at a position that another handle of the same owner took is a conflict and changes nothing", async (t) => {
  const { one, other } = await twoHandles(t);
  const head = headIn(await other.append(order(RUN, 3)));
  assert.deepEqual(await one.append(order(RUN, 3)), { kind: "conflict", head });
  headIn(await one.append(order(RUN, 4)));
  headIn(await other.append(order(RUN, 5)));
  headIn(await other.append(order(RUN, 6)));
  assert.equal((await one.append(order(RUN, 5))).kind, "conflict");
  assert.deepEqual(await seqsOf(one), [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await one.verify(), []);
});

test("J1 J3 a lone append finds what another handle left in a round, also of its own run", async (t) => {
  const { one, other } = await twoHandles(t);
  const beside = Array.from({ length: 20 }, (_, n) => `run_beside_${String(n)}`);
  for (const run of beside) {
    await claimed(other, run);
    headIn(await other.append(order(run, 0)));
  }
  const together = await Promise.all([
    other.append(order(RUN, 3)),
    ...beside.map((run) => other.append(order(run, 1))),
  ]);
  const head = headIn(together[0]);
  assert.deepEqual(await one.append(order(RUN, 3)), { kind: "conflict", head });
  headIn(await one.append(order(RUN, 4)));
  assert.deepEqual(await seqsOf(other), [1, 2, 3, 4, 5]);
  assert.deepEqual(await one.verify(), []);
});

for (const [what, strike] of [
  ["deleted", (file: string): void => rmSync(file)],
  ["moved elsewhere", (file: string): void => renameSync(file, `${file}-moved`)],
] as const)
  test(`J1 a lone append to a store that was ${what} is refused by name`, async (t) => {
    const { file, one } = await twoHandles(t);
    strike(file);
    // What was moved keeps everything; it is missed in the next turn of the event loop at the latest.
    await new Promise((turn) => setImmediate(turn));
    await assert.rejects(one.append(order(RUN, 3)), (error) => isFault(error, "store_gone"));
  });
