import assert from "node:assert/strict";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { isFault } from "../../../src/model/fault.ts";
import { all, claimed, headIn, order, quietWorld, said } from "../contract/scene.ts";
import { makeFolder, putBytes, removeFolder, takeBytes } from "../store-folder.ts";

const RUNS = Array.from({ length: 40 }, (_, index) => `run_${String(index)}`);

function aFile(t: TestContext): string {
  const folder = makeFolder("quick");
  t.after(() => removeFolder(folder));
  return path.join(folder, "store.db");
}

async function opened(t: TestContext, file: string): Promise<Journal> {
  const journal = await openSqliteJournal({ file, world: quietWorld() });
  t.after(() => journal.close());
  return journal;
}

/** Looks past the journal: how many rounds there are, and how many events in their places. */
function stored(file: string): { rounds: number; inPlace: number } {
  const db = new DatabaseSync(file, { readOnly: true });
  const count = (sql: string): number => Number(db.prepare(sql).get()?.["n"]);
  const found = {
    rounds: count("SELECT count(*) AS n FROM rounds"),
    inPlace: count("SELECT count(*) AS n FROM events WHERE type <> ''"),
  };
  db.close();
  return found;
}

/** Every run has one event, and then all of them append `turns` times together. */
async function writeTogether(journal: Journal, turns: number, runs = RUNS): Promise<void> {
  for (const run of runs) {
    await claimed(journal, run);
    headIn(await journal.append(order(run, 0)));
  }
  for (let seq = 1; seq <= turns; seq += 1)
    for (const outcome of await Promise.all(runs.map((run) => journal.append(order(run, seq)))))
      headIn(outcome);
}

/** What a journal tells of these runs. */
async function reported(journal: Journal, runs = RUNS): Promise<unknown> {
  return {
    runs: await journal.runs(),
    heads: await Promise.all(runs.map((run) => journal.head(run))),
    events: await Promise.all(runs.map((run) => journal.readStored(run, all))),
    pages: await Promise.all(runs.map((run) => journal.readStored(run, { after: 2, limit: 2 }))),
    snapshots: await Promise.all(runs.map((run) => journal.loadSnapshot(run))),
  };
}

test("J1 what many runs append at once is one row, and is read by every handle as if it were in its places", async (t) => {
  const file = aFile(t);
  const [journal, memory] = [await opened(t, file), memoryJournal({ world: quietWorld() })];
  for (const one of [journal, memory]) {
    await writeTogether(one, 4);
    const head = await one.head("run_3");
    assert.ok(head !== null);
    await one.saveSnapshot("run_3", { ...head, fold: "1", state: "{}" });
  }
  const { rounds, inPlace } = stored(file);
  assert.ok(rounds > 0 && inPlace < RUNS.length * 5, "some events are in rounds");
  const expected = await reported(memory);
  assert.deepEqual(await reported(journal), expected);
  assert.deepEqual(await reported(await opened(t, file)), expected);
  assert.deepEqual(await journal.verify(), []);
  assert.equal(stored(file).rounds, rounds, "reading puts nothing in its place");
});

test("J1 a lone append puts all rounds in their places first, and reads the same afterwards", async (t) => {
  const file = aFile(t);
  const [journal, memory] = [await opened(t, file), memoryJournal({ world: quietWorld() })];
  for (const one of [journal, memory]) {
    await writeTogether(one, 3);
    headIn(await one.append(order("run_7", 4)));
  }
  assert.deepEqual(stored(file), { rounds: 0, inPlace: RUNS.length * 4 + 1 });
  assert.deepEqual(await reported(journal), await reported(memory));
  assert.deepEqual(await journal.verify(), []);
});

test("J1 another handle decides by what is in rounds too: positions, owners and removal (I9)", async (t) => {
  const file = aFile(t);
  const journal = await opened(t, file);
  await writeTogether(journal, 2);
  const other = await opened(t, file);
  assert.equal((await other.append(order("run_1", 1))).kind, "conflict");
  headIn(await other.append(order("run_1", 3)));
  assert.equal(stored(file).rounds, 0);
  assert.equal((await journal.append(order("run_1", 3))).kind, "conflict");
  await writeMore(journal, 3, new Set(["run_1"]));
  assert.ok(stored(file).rounds > 0);
  const head = await other.head("run_2");
  assert.ok(head?.seq === 4);
  assert.equal((await other.remove({ run: "run_2", ...head, epoch: 1 })).kind, "removed");
  assert.equal(await journal.head("run_2"), null);
  assert.deepEqual(await other.verify(), []);
});

async function writeMore(journal: Journal, seq: number, except: ReadonlySet<string>): Promise<void> {
  const runs = RUNS.filter((run) => !except.has(run));
  for (const outcome of await Promise.all(runs.map((run) => journal.append(order(run, seq)))))
    headIn(outcome);
}

test("J1 rounds are bounded: those before one that would pass the bound are put in their places", async (t) => {
  const file = aFile(t);
  const journal = await opened(t, file);
  await writeTogether(journal, 1);
  const long = [said("x".repeat(20_000))];
  for (let seq = 2; seq < 12; seq += 1)
    for (const outcome of await Promise.all(
      RUNS.map((run) => journal.append(order(run, seq, { events: long }))),
    ))
      headIn(outcome);
  const { inPlace } = stored(file);
  assert.ok(inPlace > RUNS.length * 6, `${String(inPlace)} events are in their places`);
  assert.equal((await journal.readStored("run_9", all)).length, 12);
  assert.deepEqual(await journal.verify(), []);
});

test("J1 random appends, alone and together, by two handles, read like those of a journal in memory", async (t) => {
  const chance = seededChance(20_261_101);
  const below = (bound: number): number => Math.floor(chance() * bound);
  const file = aFile(t);
  let handles = [await opened(t, file), await opened(t, file)];
  const memory = memoryJournal({ world: quietWorld() });
  for (const run of RUNS) {
    const [first] = handles;
    assert.ok(first !== undefined);
    for (const one of [first, memory]) {
      await claimed(one, run);
      headIn(await one.append(order(run, 0)));
    }
  }
  const seqs = new Map(RUNS.map((run) => [run, 1]));
  for (let turn = 0; turn < 80; turn += 1) {
    const journal = handles[below(2)];
    assert.ok(journal !== undefined);
    const chosen = RUNS.filter(() => chance() < [0.02, 0.2, 0.9][turn % 3]!);
    const orders = chosen.map((run) =>
      order(run, seqs.get(run) ?? 0, { events: [said(`${String(turn)} ${"é;\u2028".repeat(below(200))}`)] }),
    );
    for (const one of [journal, memory])
      (await Promise.all(orders.map((each) => one.append(each)))).forEach(headIn);
    for (const run of chosen) seqs.set(run, (seqs.get(run) ?? 0) + 1);
    if (turn % 20 === 19) {
      assert.deepEqual(await reported(journal), await reported(memory), `turn ${String(turn)}`);
      assert.deepEqual(await journal.verify(), []);
      for (const handle of handles) await handle.close();
      handles = [await opened(t, file), await opened(t, file)];
    }
  }
});

const DAMAGES: Readonly<Record<string, string>> = {
  "a changed event": "UPDATE rounds SET body = replace(body, 'run_5 3', 'run_5 4') WHERE n = 2",
  "a changed seal": "UPDATE rounds SET seal = 'x' WHERE n = 1",
  "the first round missing": "DELETE FROM rounds WHERE n = 1",
  "a round missing in the middle": "DELETE FROM rounds WHERE n = 2",
  "two rounds in each other's places":
    "UPDATE rounds SET body = (SELECT body FROM rounds WHERE n = 1), seal = (SELECT seal FROM rounds WHERE n = 1) WHERE n = 2",
};

for (const [what, sql] of Object.entries(DAMAGES))
  test(`J2 ${what} is damage to the one that reads, writes or verifies, and nothing is changed`, async (t) => {
    const file = aFile(t);
    const journal = await openSqliteJournal({ file, world: quietWorld() });
    await writeTogether(journal, 3);
    await journal.close();
    const db = new DatabaseSync(file);
    assert.equal(Number(db.prepare(sql).run().changes), 1);
    db.close();
    const isDamage = (error: unknown): boolean => isFault(error, "journal_damaged");
    let damaged: Journal;
    try {
      damaged = await opened(t, file);
    } catch (error) {
      assert.ok(isDamage(error), String(error));
      return;
    }
    await assert.rejects(damaged.read("run_5", all), isDamage);
    assert.equal((await damaged.read("run_5", { after: 0, limit: 1 })).length, 1, "what is in place is read");
    await assert.rejects(damaged.head("run_5"), isDamage);
    await assert.rejects(damaged.runs(), isDamage);
    await assert.rejects(damaged.append(order("run_5", 4)), isDamage);
    assert.ok((await damaged.verify()).length > 0);
    assert.ok(stored(file).rounds >= 2);
  });

test("J2 the last round lost with its commit is found by the mark", async (t) => {
  const file = aFile(t);
  const journal = await openSqliteJournal({ file, world: quietWorld() });
  await writeTogether(journal, 3);
  await journal.close();
  const db = new DatabaseSync(file);
  db.exec("DELETE FROM rounds WHERE n = 3");
  db.close();
  await assert.rejects(openSqliteJournal({ file, world: quietWorld() }), (error: unknown) =>
    isFault(error, "journal_damaged"),
  );
});

test("J3 a process that dies before or after any commit of many runs leaves all of it or nothing", async (t) => {
  for (const point of ["journal.append.before", "journal.append.after"]) {
    const file = aFile(t);
    const world = quietWorld();
    const journal = await openSqliteJournal({ file, world });
    await writeTogether(journal, 2);
    world.dieAt = point;
    await Promise.allSettled(RUNS.map((run) => journal.append(order(run, 3))));
    const bytes = takeBytes(file);
    const copy = aFile(t);
    putBytes(copy, bytes);
    const next = await opened(t, copy);
    const seqs = new Set((await next.runs()).map(({ seq }) => seq));
    assert.deepEqual([...seqs], [point.endsWith("before") ? 3 : 4], point);
    await writeMore(next, [...seqs][0] ?? 0, new Set());
    assert.deepEqual(await next.verify(), []);
    await journal.close().catch(() => undefined);
  }
});
