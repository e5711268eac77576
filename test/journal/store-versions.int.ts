import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import type { Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { isFault } from "../../src/model/fault.ts";
import { claimed, headIn, order, quietWorld } from "./contract/scene.ts";
import { readEverything, sampleRun, writeChapter } from "./sample-journal.ts";
import { makeFolder, removeFolder } from "./store-folder.ts";

const RUNS = [1, 2, 3, 4, 5];
const open = (file: string): Promise<Journal> => openSqliteJournal({ file, world: quietWorld() });

function aFile(t: TestContext): string {
  const folder = makeFolder("quick");
  t.after(() => removeFolder(folder));
  return path.join(folder, "store.db");
}

/** A store and its mark as Holdfast wrote them in version 1: `writeSample`, closed. */
function putVersion1(file: string): void {
  for (const suffix of ["", "-ack"]) {
    const kept = path.join(import.meta.dirname, "stores", `version-1.db${suffix}.gz`);
    writeFileSync(`${file}${suffix}`, gunzipSync(readFileSync(kept)));
  }
}

/** Several runs by turns, with snapshots and requests; the newest, which held the last event, is removed again. */
async function writeSample(journal: Journal): Promise<void> {
  await writeChapter(journal, { runs: [1, 2, 3], appendsPerRun: 4 });
  await writeChapter(journal, { runs: [2, 4], appendsPerRun: 3 });
  await writeChapter(journal, { runs: [5], appendsPerRun: 1 });
  const run = sampleRun(5);
  await journal.consume(
    run,
    (await journal.inbox(run)).map(({ id }) => id),
  );
  const head = await journal.head(run);
  assert.ok(head !== null);
  assert.equal((await journal.remove({ run, ...head, epoch: 1 })).kind, "removed");
}

/** Changes a store behind its back, as version 1 keeps it. */
function change(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

test("J9 a store of version 1 is brought to the present one at opening, and reads as if written by it", async (t) => {
  const [old, fresh] = [aFile(t), aFile(t)];
  putVersion1(old);
  const written = await open(fresh);
  await writeSample(written);
  const upgraded = await open(old);
  const expected = await readEverything(written, RUNS);
  // Version 1 did not note in which PID namespace an owner lives, so its pid is compared with nobody's.
  const unnoted = [...expected].map(
    ([question, answer]) => [question, answer.replace(/("startedAt":"[^"]*")/, '$1,"space":""')] as const,
  );
  assert.deepEqual(await readEverything(upgraded, RUNS), new Map(unnoted));
  assert.deepEqual(await upgraded.verify(), []);
  await written.close();
  await upgraded.close();
});

test("J9 a store brought to the present version is written on, and opened again by any number", async (t) => {
  const file = aFile(t);
  putVersion1(file);
  const handles = [await open(file), await open(file)] as const;
  for (const [index, journal] of handles.entries()) {
    const run = sampleRun(2);
    const [lease, head] = [await journal.lease(run), await journal.head(run)];
    assert.ok(lease !== null && head !== null);
    const outcome = await journal.append(order(run, head.seq, { epoch: lease.epoch }));
    assert.equal(headIn(outcome).seq, 22 + index);
    await claimed(journal, `run_${String(index)}`);
    headIn(await journal.append(order(`run_${String(index)}`, 0)));
  }
  for (const journal of handles) await journal.close();
  const again = await open(file);
  assert.equal((await again.head(sampleRun(2)))?.seq, 23);
  assert.equal((await again.runs()).length, 6);
  assert.deepEqual(await again.verify(), []);
  await again.close();
});

test("J2 a store of version 1 that lost acknowledged events is refused, and stays as it is", async (t) => {
  const file = aFile(t);
  putVersion1(file);
  change(file, "DELETE FROM events WHERE position = (SELECT max(position) FROM events)");
  const before = readFileSync(file);
  await assert.rejects(
    open(file),
    (error) => isFault(error, "journal_damaged") && /acknowledged/.test(error.message),
  );
  assert.deepEqual(readFileSync(file), before);
});

for (const [what, sql] of [
  ["a changed head", "UPDATE heads SET seq = seq - 1 WHERE run_key = 1"],
  ["a head that is gone", "DELETE FROM heads WHERE run_key = 1"],
  ["a changed event", "UPDATE events SET at = at + 1 WHERE run_key = 1 AND seq = 4"],
  ["a lost event", "DELETE FROM events WHERE run_key = 1 AND seq = 4"],
  ["a lost last event", "DELETE FROM events WHERE run_key = 1 AND seq = 12"],
] as const)
  test(`J2 what is damaged in a store of version 1 is damaged afterwards, and the rest is whole: ${what}`, async (t) => {
    const file = aFile(t);
    putVersion1(file);
    change(file, sql);
    const journal = await open(file);
    const page = { after: 0, limit: 100 };
    await assert.rejects(journal.read(sampleRun(1), page), (error) => isFault(error, "journal_damaged"));
    assert.equal((await journal.read(sampleRun(2), page)).length, 21);
    assert.ok((await journal.verify()).some(({ run }) => run === sampleRun(1)));
    await journal.close();
  });
