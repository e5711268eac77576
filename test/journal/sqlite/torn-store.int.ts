import assert from "node:assert/strict";
import { closeSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { isFault, type FaultCode } from "../../../src/model/fault.ts";
import { realWorld } from "../../../src/real-world.ts";
import { readEverything, sampleRun, writeChapter, type Picture } from "../sample-journal.ts";
import {
  LOG_FRAME_BYTES,
  loggedBytes,
  folderText,
  makeFolder,
  putBytes,
  removeFolder,
  takeBytes,
  withByte,
  type StoreBytes,
  type StoreSuffix,
} from "../store-folder.ts";

const world = realWorld();
const folder = makeFolder("quick");
const file = path.join(folder, "journal.db");
after(() => removeFolder(folder));
const open = (): Promise<Journal> => openSqliteJournal({ file, world });

const RUNS = [1, 2];

interface Original {
  readonly bytes: StoreBytes;
  readonly picture: Picture;
}
let checkpointed: Original;
let logged: Original;
let askedLast: Original;

const take = async (journal: Journal): Promise<Original> => ({
  bytes: takeBytes(file),
  picture: await readEverything(journal, RUNS),
});

before(async () => {
  let journal = await open();
  await writeChapter(journal, { runs: [1], appendsPerRun: 4 });
  await journal.close();
  journal = await open();
  checkpointed = await take(journal);
  await writeChapter(journal, { runs: [1, 2], appendsPerRun: 4 });
  logged = await take(journal);
  const request = { id: "req_last", address: sampleRun(1), by: "somebody", at: 1 };
  await journal.ask({ ...request, request: { kind: "pause" } });
  askedLast = await take(journal);
  await journal.close();
});

const cutTo = (original: Original, suffix: StoreSuffix, bytes: number): StoreBytes =>
  new Map(original.bytes).set(suffix, (original.bytes.get(suffix) ?? Buffer.alloc(0)).subarray(0, bytes));

const sizeOf = (original: Original, suffix: StoreSuffix): number => original.bytes.get(suffix)?.length ?? 0;

/** Lengths around every unit of a file, and some between. */
function* lengths(size: number, unit: number): Generator<number> {
  for (let at = 0; at < size; at += unit) {
    for (const length of [at - 1, at, at + 1, at + 31, at + Math.floor(unit / 2)]) {
      if (length >= 0 && length < size) yield length;
    }
  }
}

async function refused(bytes: StoreBytes, codes: readonly FaultCode[], what: string): Promise<void> {
  putBytes(file, bytes);
  const untouched = folderText(folder);
  const outcome: unknown = await open().then(
    (journal) => journal.close().then(() => "opened"),
    (error: unknown) => error,
  );
  assert.ok(isFault(outcome) && codes.includes(outcome.code), `${what}: ${String(outcome)}`);
  // A log too short for its own header holds nothing; SQLite is asked about the rest and tidies it away.
  if ((bytes.get("-wal")?.length ?? 32) >= 32)
    assert.equal(folderText(folder), untouched, `${what}: changed`);
}

test("J2 a database cut at any length is refused as cut short, and not a byte of it is changed", async () => {
  for (const length of lengths(sizeOf(checkpointed, ""), 4_096)) {
    await refused(cutTo(checkpointed, "", length), ["store_truncated"], `cut to ${String(length)}`);
  }
});

test("J2 a database that a crash left short of pages which its log still holds is whole", async () => {
  const size = sizeOf(logged, "");
  const outcomes = new Set<string>();
  for (let length = 4_096; length <= size; length += 4_096) {
    putBytes(file, cutTo(logged, "", length));
    const outcome = await open().then(
      async (journal) => {
        assert.deepEqual(await readEverything(journal, RUNS), logged.picture, `cut to ${String(length)}`);
        assert.deepEqual(await journal.verify(), []);
        await journal.close();
        return "whole";
      },
      (error: unknown) => (isFault(error) ? error.code : String(error)),
    );
    outcomes.add(outcome);
  }
  assert.deepEqual([...outcomes].sort(), ["store_truncated", "whole"]);
});

test("J2 a log cut at any length within what was acknowledged is refused, never read as a shorter journal", async () => {
  for (const length of lengths(loggedBytes(logged.bytes), LOG_FRAME_BYTES)) {
    const codes = ["journal_damaged", "store_truncated"] as const;
    await refused(cutTo(logged, "-wal", length), codes, `cut to ${String(length)}`);
  }
});

test("J2 a torn tail is cut back: without a mark, a log cut at any length gives a sound beginning of the journal", async () => {
  const whole = eventsOf(logged.picture);
  for (const length of lengths(loggedBytes(logged.bytes), LOG_FRAME_BYTES)) {
    const bytes = new Map(cutTo(logged, "-wal", length));
    bytes.delete("-ack");
    bytes.delete("-shm");
    putBytes(file, bytes);
    const journal = await open();
    assert.deepEqual(await journal.verify(), [], `cut to ${String(length)}`);
    for (const [question, events] of eventsOf(await readEverything(journal, RUNS))) {
      assert.deepEqual(whole.get(question)?.slice(0, events.length), events);
    }
    await journal.close();
  }
});

const eventsOf = (picture: Picture): Map<string, unknown[]> =>
  new Map(
    [...picture]
      .filter(([question]) => question.startsWith("events"))
      .map(([question, answer]) => [question, JSON.parse(answer) as unknown[]]),
  );

test("J2 a changed byte in the very last transaction is found, be it an append or only a request", async () => {
  for (const original of [logged, askedLast]) {
    const size = loggedBytes(original.bytes);
    for (let offset = size - LOG_FRAME_BYTES; offset < size; offset += 97) {
      const place = { suffix: "-wal", offset, xor: 1 } as const;
      await refused(withByte(original.bytes, place), ["journal_damaged"], `byte ${String(offset)}`);
    }
  }
});

test("J2 a last transaction torn by a power loss is cut back, since the mark on disk knows of none so late", async () => {
  const place = { suffix: "-wal", offset: loggedBytes(logged.bytes) + 50, xor: 0xff } as const;
  const torn = withByte(askedLast.bytes, place);
  const markBefore = logged.bytes.get("-ack") ?? Buffer.alloc(0);
  putBytes(file, new Map(torn).set("-ack", markBefore));
  const journal = await open();
  assert.deepEqual(await readEverything(journal, RUNS), logged.picture);
  assert.deepEqual(await journal.verify(), []);
  await journal.close();

  const withoutMark = new Map(torn);
  withoutMark.delete("-ack");
  await refused(withoutMark, ["journal_damaged"], "without any mark nobody can tell");
});

test("J2 verify finds a byte of the log that changed on disk while the journal is open", async () => {
  putBytes(file, logged.bytes);
  const journal = await open();
  assert.deepEqual(await journal.verify(), []);
  const fd = openSync(`${file}-wal`, "r+");
  writeSync(fd, "changed", 32 + 2 * LOG_FRAME_BYTES + 1_000);
  closeSync(fd);
  const [found] = await journal.verify();
  assert.match(found?.what ?? "", /frame 3 at byte 8272 is bad/);
  await journal.close();
});

test("J2 what a writer killed in mid-transaction left behind is no damage, even behind a later transaction", async () => {
  putBytes(file, checkpointed.bytes);
  const killed = new DatabaseSync(file);
  killed.exec("PRAGMA cache_size = 2; BEGIN; CREATE TABLE spilled (x)");
  const insert = killed.prepare("INSERT INTO spilled VALUES (?)");
  for (let row = 0; row < 100; row++) insert.run("x".repeat(3_000));
  const atKill = takeBytes(file);
  killed.exec("ROLLBACK");
  killed.close();
  assert.ok((atKill.get("-wal")?.length ?? 0) > 20 * LOG_FRAME_BYTES, "the transaction reached the log");

  putBytes(file, atKill);
  let journal = await open();
  assert.deepEqual(await readEverything(journal, RUNS), checkpointed.picture);
  await journal.beat("own_sample");
  await journal.ask({ id: "req_x", address: sampleRun(2), by: "x", at: 1, request: { kind: "pause" } });
  const secondKill = { bytes: takeBytes(file), picture: await readEverything(journal, RUNS) };
  await journal.close();

  putBytes(file, secondKill.bytes);
  journal = await open();
  assert.deepEqual(await readEverything(journal, RUNS), secondKill.picture);
  assert.deepEqual(await journal.verify(), []);
  await journal.close();
});
