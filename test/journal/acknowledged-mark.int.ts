import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import {
  openAcknowledgedMark,
  readMark,
  type AcknowledgedMark,
} from "../../src/journal/sqlite/mark/acknowledged-mark.ts";
import type { MarkedEvent } from "../../src/journal/sqlite/mark/mark-slot.ts";
import { isFault } from "../../src/model/fault.ts";
import { makeFolder, removeFolder } from "./store-folder.ts";

const HASH = "ab".repeat(32);
const noted = (seq: number): MarkedEvent => ({ runKey: 1, seq, hash: HASH });

/** The latest event among those the mark names. */
function lastOf(mark: AcknowledgedMark): MarkedEvent | null {
  const events = mark.records().flatMap(({ event }) => (event === null ? [] : [event]));
  return events.sort((one, other) => one.seq - other.seq).at(-1) ?? null;
}

function aMark(t: TestContext): { file: string; mark: AcknowledgedMark; reopened: () => AcknowledgedMark } {
  const folder = makeFolder("quick");
  const file = path.join(folder, "journal.db");
  const open: AcknowledgedMark[] = [];
  const reopened = (): AcknowledgedMark => {
    const mark = openAcknowledgedMark(file);
    open.push(mark);
    return mark;
  };
  t.after(() => {
    for (const mark of open) mark.close();
    removeFolder(folder);
  });
  return { file, mark: reopened(), reopened };
}

function flip(file: string, offset: number): void {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ 0x21, offset);
  writeFileSync(file, bytes);
}

test("J2 a new mark knows nothing, and is known to be there", (t) => {
  const { file, mark } = aMark(t);
  assert.equal(lastOf(mark), null);
  assert.ok(readMark(file).length > 0);
});

test("J2 the mark says the last event noted, also to the next who opens it", (t) => {
  const { mark, reopened } = aMark(t);
  for (let seq = 1; seq <= 5; seq++) mark.note({ runKey: 1, seq, hash: `${HASH.slice(2)}0${String(seq)}` });
  assert.deepEqual(lastOf(mark), { runKey: 1, seq: 5, hash: `${HASH.slice(2)}05` });
  assert.deepEqual(lastOf(reopened()), lastOf(mark));
});

test("J2 a changed byte anywhere in the mark gives the note before the last one at worst, never a false one", (t) => {
  const { file, mark, reopened } = aMark(t);
  mark.note(noted(10));
  mark.note(noted(11));
  const size = readFileSync(`${file}-ack`).length;
  for (let offset = 0; offset < size; offset++) {
    flip(`${file}-ack`, offset);
    const last = lastOf(reopened());
    assert.ok(last !== null && [10, 11].includes(last.seq) && last.hash === HASH, `byte ${String(offset)}`);
    flip(`${file}-ack`, offset);
  }
});

test("J2 a mark of which nothing is left says nothing, and works again after the next note", (t) => {
  const { file, mark } = aMark(t);
  mark.note(noted(3));
  mark.note(noted(4));
  writeFileSync(`${file}-ack`, Buffer.alloc(2_048, 0xee));
  assert.equal(lastOf(mark), null);
  assert.deepEqual(readMark(file), []);
  mark.note(noted(5));
  assert.equal(lastOf(mark)?.seq, 5);
});

test("J2 a mark cut short keeps what is left of it", (t) => {
  const { file, mark, reopened } = aMark(t);
  for (let seq = 1; seq <= 4; seq++) mark.note(noted(seq));
  truncateSync(`${file}-ack`, 600);
  assert.ok([3, 4].includes(lastOf(reopened())?.seq ?? 0));
});

test("J2 commits without events take nothing from what was noted of events", (t) => {
  const { mark } = aMark(t);
  mark.note(noted(8));
  for (let commit = 0; commit < 5; commit++) mark.note(null);
  assert.deepEqual(lastOf(mark), noted(8));
});

test("J2 a note from a slower process leaves a mark that still holds", (t) => {
  const { mark, reopened } = aMark(t);
  const slower = reopened();
  mark.note(noted(20));
  mark.note(noted(21));
  slower.note(noted(19));
  assert.ok([19, 20, 21].includes(lastOf(mark)?.seq ?? 0));
});

test("J2 the mark follows the log through commits, checkpoints and new generations, and never says too much", (t) => {
  const { file, mark } = aMark(t);
  const db = new DatabaseSync(file);
  t.after(() => db.close());
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 7; CREATE TABLE t (x)",
  );
  const insert = db.prepare("INSERT INTO t VALUES (?)");
  const generations = new Set<string>();
  /** The ends of the log after the last commits: beside an event the mark may name any of them. */
  let ends: unknown[] = [];
  for (let commit = 1; commit <= 60; commit++) {
    db.exec("BEGIN");
    for (let row = 0; row < commit % 5; row++) insert.run("x".repeat(3_000));
    db.exec("COMMIT");
    mark.note(noted(commit));
    const wal = readMark(file).find((record) => record.event?.seq === commit)?.wal;
    ends = [framesInIndex(file), ...ends].slice(0, 4);
    assert.ok(
      ends.some((end) => isDeepStrictEqual(end, wal)),
      `commit ${String(commit)}`,
    );
    if (wal !== null && wal !== undefined) generations.add(wal.salts);
  }
  assert.ok(generations.size > 3, "the log was begun again several times");
  mark.note(null);
  assert.deepEqual(
    readMark(file).find(({ event, wal }) => event === null && wal !== null)?.wal,
    framesInIndex(file),
    "without an event it is the very end",
  );
});

/** What SQLite's own index of the log says. Read in a test without other processes: closing it drops locks. */
function framesInIndex(file: string): { salts: string; frames: number } {
  const index = readFileSync(`${file}-shm`);
  return { salts: index.toString("hex", 32, 40), frames: index.readUInt32LE(16) };
}

test("J2 frames that their writer gave up are not counted as committed", (t) => {
  const { file, mark } = aMark(t);
  const db = new DatabaseSync(file);
  t.after(() => db.close());
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = 2; CREATE TABLE t (x)");
  const insert = db.prepare("INSERT INTO t VALUES (?)");
  db.exec("BEGIN");
  for (let row = 0; row < 50; row++) insert.run("x".repeat(3_000));
  mark.note(noted(1));
  const before = readMark(file).find((record) => record.event?.seq === 1)?.wal?.frames ?? -1;
  assert.ok(
    before >= 0 && before < 5,
    `the open transaction spilled to the log, of which ${String(before)} frames count`,
  );
  db.exec("ROLLBACK; INSERT INTO t VALUES ('short')");
  mark.note(null);
  assert.deepEqual(
    readMark(file).find(({ event, wal }) => event === null && wal !== null)?.wal,
    framesInIndex(file),
  );
});

test("J2 what was noted by a process that is killed is there, and several may note at once", async (t) => {
  const { file, mark } = aMark(t);
  const script = `
    import { openAcknowledgedMark } from ${JSON.stringify(new URL("../../src/journal/sqlite/mark/acknowledged-mark.ts", import.meta.url).href)};
    const mark = openAcknowledgedMark(process.argv[1]);
    for (let n = 1; n <= 2000; n++) mark.note({ runKey: 1, seq: n, hash: "${HASH}" });
    process.kill(process.pid, "SIGKILL");
  `;
  const signals = await Promise.all(
    [1, 2, 3].map(
      () =>
        new Promise((resolve) => {
          const child = spawn(process.execPath, ["--input-type=module", "-e", script, file], {
            stdio: "inherit",
          });
          child.once("exit", (_code, signal) => resolve(signal));
        }),
    ),
  );
  assert.deepEqual(signals, ["SIGKILL", "SIGKILL", "SIGKILL"]);
  assert.equal(lastOf(mark)?.seq, 2_000);
});

test("P4 a mark that cannot be opened is a fault that names it", (t) => {
  const { file } = aMark(t);
  assert.throws(
    () => openAcknowledgedMark(path.join(file, "below", "a-file")),
    (error) => isFault(error, "store_unavailable") && error.message.includes("-ack"),
  );
});
