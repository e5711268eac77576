import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { openAcknowledgedMark } from "../../src/journal/sqlite/mark/acknowledged-mark.ts";
import { initialiseStore } from "../../src/journal/sqlite/connection.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { prepareStoreFile } from "../../src/journal/sqlite/store-file.ts";
import { isFault, type FaultCode } from "../../src/model/fault.ts";
import { realWorld } from "../../src/real-world.ts";
import { folderText, makeFolder, removeFolder } from "./store-folder.ts";

const world = realWorld();
const prepare = (file: string): void => prepareStoreFile(file, world, initialiseStore);

function aFolder(t: TestContext): { folder: string; file: string } {
  const folder = makeFolder();
  t.after(() => removeFolder(folder));
  return { folder, file: path.join(folder, "journal.db") };
}

/** Opening fails by this name, says which file, and changes nothing in its folder. */
async function refused(file: string, code: FaultCode): Promise<void> {
  const before = folderText(path.dirname(file));
  await assert.rejects(openSqliteJournal({ file, world }), (error) => {
    assert.ok(isFault(error, code), `expected ${code}, got ${String(error)}`);
    assert.ok(error.message.includes(file), error.message);
    return true;
  });
  assert.equal(folderText(path.dirname(file)), before, "something was changed");
}

test("J2 a new store appears whole and alone, and is taken as it is the next time", (t) => {
  const { folder, file } = aFolder(t);
  prepare(file);
  assert.deepEqual(readdirSync(folder), ["journal.db"]);
  const bytes = readFileSync(file);
  prepare(file);
  assert.ok(readFileSync(file).equals(bytes));
});

test("P3 a new store and what lies beside it can be read by their owner only", async (t) => {
  const { folder, file } = aFolder(t);
  const journal = await openSqliteJournal({ file, world });
  const open = readdirSync(folder).filter((name) => (statSync(path.join(folder, name)).mode & 0o077) !== 0);
  await journal.close();
  assert.deepEqual(open, []);
});

test("J2 of two creators one wins, and the other uses the winner's store", (t) => {
  const { folder, file } = aFolder(t);
  prepareStoreFile(file, world, (draft) => {
    prepare(file);
    const winner = new DatabaseSync(file);
    winner.exec("CREATE TABLE winner (x)");
    winner.close();
    initialiseStore(draft);
  });
  assert.deepEqual(readdirSync(folder), ["journal.db"]);
  const db = new DatabaseSync(file);
  assert.equal(db.prepare("SELECT count(*) AS n FROM winner").get()?.["n"], 0);
  db.close();
});

test("J2 a creator that fails leaves nothing behind", (t) => {
  const { folder, file } = aFolder(t);
  const failing = (draft: string): void => {
    writeFileSync(draft, "half");
    writeFileSync(`${draft}-wal`, "half");
    throw new Error("cannot");
  };
  assert.throws(() => prepareStoreFile(file, world, failing), /cannot/);
  assert.deepEqual(readdirSync(folder), []);
});

test("J2 a creator whose database is not finished puts nothing in place", (t) => {
  const { folder, file } = aFolder(t);
  const unfinished = (draft: string): void => {
    initialiseStore(draft);
    writeFileSync(`${draft}-wal`, "pages that are not in the database yet");
  };
  assert.throws(
    () => prepareStoreFile(file, world, unfinished),
    (error) => isFault(error, "store_failed"),
  );
  assert.deepEqual(readdirSync(folder), []);
});

test("J4 a creator killed before or after the store appears is in nobody's way", (t) => {
  for (const point of ["journal.create.before#1", "journal.create.after#1"]) {
    const { folder, file } = aFolder(t);
    const child = runScript(
      `
      import { openSqliteJournal } from ${source("journal/sqlite/sqlite-journal.ts")};
      import { crashOptionsFrom, realWorld } from ${source("real-world.ts")};
      await openSqliteJournal({ file: ${JSON.stringify(file)}, world: realWorld(crashOptionsFrom(process.env)) });
    `,
      { HOLDFAST_CRASH_AT: point },
    );
    assert.equal(child.signal, "SIGKILL", child.stderr);
    assert.equal(existsSync(file), point.includes("after"), "the store is there from the link on");
    assert.ok(readdirSync(folder).length > 0, "the draft was left behind");
    prepare(file);
    const db = new DatabaseSync(file);
    assert.equal(db.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
    db.close();
  }
});

test("P4 an empty or very short file is refused by name and not replaced", async (t) => {
  const { file } = aFolder(t);
  for (const bytes of [0, 1, 16, 99]) {
    writeFileSync(file, "SQLite format 3\0".padEnd(99, "\0").slice(0, bytes));
    await refused(file, "store_truncated");
  }
});

test("P4 a file of something else is refused by name and not touched", async (t) => {
  const { file } = aFolder(t);
  writeFileSync(file, "to do: buy milk\n".repeat(100));
  await refused(file, "store_foreign");
  const other = path.join(path.dirname(file), "other.db");
  const db = new DatabaseSync(other);
  db.exec("CREATE TABLE milk (litres)");
  db.close();
  await refused(other, "store_foreign");
});

test("P4 a folder, a pipe or a link to nothing in the store's place is refused by name", async (t) => {
  const { folder, file } = aFolder(t);
  mkdirSync(file);
  await assertFault(file, "store_foreign", /is a folder/);
  const pipe = path.join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  await assertFault(pipe, "store_foreign", /no regular file/);
  const link = path.join(folder, "link");
  symlinkSync(path.join(folder, "nowhere"), link);
  await assertFault(link, "store_unavailable", /link to nothing/);
  await assertFault(path.join(folder, "no", "such.db"), "store_unavailable", /check that its folder exists/);
});

const assertFault = (file: string, code: FaultCode, says: RegExp): Promise<void> =>
  assert.rejects(openSqliteJournal({ file, world }), (error) => {
    assert.ok(isFault(error, code), String(error));
    assert.match(error.message, says);
    return true;
  });

test("J2 a log without its database is never buried under a new one", async (t) => {
  const { file } = aFolder(t);
  writeFileSync(`${file}-wal`, Buffer.alloc(5_000, 1));
  await refused(file, "journal_damaged");
});

test("J2 a store that is gone although events of it were acknowledged is not begun again", async (t) => {
  const { file } = aFolder(t);
  const mark = openAcknowledgedMark(file);
  mark.note({ runKey: 1, seq: 7, hash: "ab".repeat(32) });
  mark.close();
  await refused(file, "journal_damaged");
});

test("J2 an empty log or a blank mark without a database is no trace of a store", (t) => {
  const { file } = aFolder(t);
  writeFileSync(`${file}-wal`, "");
  openAcknowledgedMark(file).close();
  prepare(file);
  assert.ok(statSync(file).size > 0);
});

test("P4 a store that may not be read is refused by name", async (t) => {
  const { folder, file } = aFolder(t);
  prepare(file);
  chmodSync(folder, 0o755);
  chmodSync(file, 0o000);
  // Root may read everything: the child loads what it needs and then becomes somebody else.
  const child = runScript(`
    import { openSqliteJournal } from ${source("journal/sqlite/sqlite-journal.ts")};
    import { realWorld } from ${source("real-world.ts")};
    const world = realWorld();
    if (process.getuid() === 0) { process.setegid(65534); process.seteuid(65534); }
    try { await openSqliteJournal({ file: ${JSON.stringify(file)}, world }); }
    catch (error) { console.log(error.code); }
  `);
  assert.equal(child.stdout, "store_unavailable\n");
});

/** By this process: lines are `1: POSIX ADVISORY READ PID DEVICE:INODE START END`. */
function locksHeld(file: string): number {
  const place = `:${String(statSync(file).ino)} `;
  const lines = readFileSync("/proc/locks", "utf8").split("\n");
  return lines.filter((line) => line.includes(` ${String(process.pid)} `) && line.includes(place)).length;
}

test("J2 opening a store twice in one process keeps the locks by which others know it is in use", async (t) => {
  if (!existsSync("/proc/locks")) return t.skip("this system does not list its locks in /proc/locks");
  const { file } = aFolder(t);
  const journal = await openSqliteJournal({ file, world });
  await journal.claim("run_a", { id: "own_a", process: world.self });
  const held = (): number[] => [locksHeld(file), locksHeld(`${file}-shm`)];
  const before = held();
  assert.ok(!before.includes(0), "SQLite locks database and index while they are open");
  prepare(file);
  assert.deepEqual(held(), before);
  const again = await openSqliteJournal({ file, world });
  await again.claim("run_b", { id: "own_b", process: world.self });
  await again.close();
  assert.deepEqual(held(), before);
  await journal.close();
});

test("J2 a journal that never wrote keeps its locks when another of its process is closed", async (t) => {
  if (!existsSync("/proc/locks")) return t.skip("this system does not list its locks in /proc/locks");
  const { file } = aFolder(t);
  const writer = await openSqliteJournal({ file, world });
  const reader = await openSqliteJournal({ file, world });
  await writer.claim("run_a", { id: "own_a", process: world.self });
  await writer.close();
  assert.ok(locksHeld(`${file}-shm`) > 0, "the reader holds its lock on the index");
  await reader.close();
});

test("J2 a store at work is never mistaken for a damaged one", async (t) => {
  const { file } = aFolder(t);
  prepare(file);
  const writer = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `
    import { DatabaseSync } from "node:sqlite";
    import { openAcknowledgedMark } from ${source("journal/sqlite/mark/acknowledged-mark.ts")};
    const db = new DatabaseSync(${JSON.stringify(file)});
    const mark = openAcknowledgedMark(${JSON.stringify(file)});
    db.exec("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 20; CREATE TABLE t (x)");
    const insert = db.prepare("INSERT INTO t VALUES (?)");
    console.log("ready");
    for (;;) {
      db.exec("BEGIN");
      for (let row = Math.random() * 30; row > 0; row--) insert.run("x".repeat(1000));
      db.exec("COMMIT");
      mark.note(0, "");
    }
  `,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const gone = new Promise((resolve) => writer.once("exit", resolve));
  try {
    await new Promise((resolve) => writer.stdout.once("data", resolve));
    for (let look = 0; look < 150; look++) prepare(file);
  } finally {
    writer.kill("SIGKILL");
    await gone;
  }
  prepare(file);
});

const source = (file: string): string => JSON.stringify(new URL(`../../src/${file}`, import.meta.url).href);

function runScript(
  script: string,
  env: Record<string, string> = {},
): { stdout: string; stderr: string; signal: NodeJS.Signals | null } {
  return spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
}
