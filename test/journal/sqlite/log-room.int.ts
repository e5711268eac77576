import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { makeFolder, putBytes, removeFolder, takeBytes, withByte } from "../store-folder.ts";

const RUN = "run_written";
const ROOM_BYTES = 512 * 1_024;
const writer = path.join(import.meta.dirname, "..", "acknowledging-writer.ts");
const world = realWorld();

function storeFile(t: TestContext): string {
  const folder = makeFolder();
  t.after(() => {
    removeFolder(folder);
  });
  return path.join(folder, "journal.db");
}

interface Ended {
  readonly status: number | null;
  readonly signal: string | null;
  readonly acknowledged: number;
  readonly stderr: string;
}

/** A process of its own appends that many events, and is killed at a crash point if one is named. */
function write(file: string, appends: number, { run = RUN, crashAt = "" } = {}): Promise<Ended> {
  const args = [writer, file, String(appends), "hasty", run];
  const env = { ...process.env, HOLDFAST_CRASH_AT: crashAt, NODE_TEST_CONTEXT: "" };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status, signal) => {
      resolve({ status, signal, acknowledged: stdout.split("\n").length - 1, stderr });
    });
  });
}

async function looking<Found>(file: string, look: (journal: Journal) => Promise<Found>): Promise<Found> {
  const journal = await openSqliteJournal({ file, world });
  try {
    return await look(journal);
  } finally {
    await journal.close();
  }
}

/** How many events a run has, in a store in which nothing is wrong. */
const eventsIn = (file: string, run = RUN): Promise<number> =>
  looking(file, async (journal) => {
    assert.deepEqual(await journal.verify(), []);
    return (await journal.read(run, { after: 0, limit: 10_000 })).length;
  });

test("J3 a log that is written to again and again has room ahead, and a short life leaves none", async (t) => {
  const file = storeFile(t);
  const journal = await openSqliteJournal({ file, world });
  t.after(() => journal.close());
  const claim = await journal.claim(RUN, { id: world.id("own"), process: world.self });
  assert.ok(claim.kind === "claimed");
  const append = async (expected: number): Promise<void> => {
    const outcome = await journal.append({
      run: RUN,
      expected,
      epoch: claim.epoch,
      at: 1,
      events: [{ type: "RunStarted", data: {} }],
      listing: { status: "running", goal: "write", wakeAt: null },
    });
    assert.equal(outcome.kind, "appended");
  };
  const logBytes = (): number => statSync(`${file}-wal`).size;
  for (let seq = 0; seq < 10; seq += 1) await append(seq);
  assert.ok(logBytes() < ROOM_BYTES / 2, `${String(logBytes())} bytes after ten appends`);
  for (let seq = 10; seq < 20; seq += 1) await append(seq);
  const withRoom = logBytes();
  assert.ok(withRoom >= ROOM_BYTES, `${String(withRoom)} bytes after twenty`);
  for (let seq = 20; seq < 40; seq += 1) await append(seq);
  assert.equal(logBytes(), withRoom);
});

test("J2 J4 a writer killed once its log has room loses nothing, and what is changed in the room is nobody's", async (t) => {
  const file = storeFile(t);
  const killed = await write(file, 40, { crashAt: "journal.room.after#1" });
  assert.equal(killed.signal, "SIGKILL", killed.stderr);
  assert.ok(killed.acknowledged > 0 && killed.acknowledged < 40);
  const bytes = takeBytes(file);
  const log = bytes.get("-wal") ?? Buffer.alloc(0);
  const room = log.length - ROOM_BYTES;
  assert.ok(room > 0 && log.subarray(room).every((byte) => byte === 0));
  for (const offset of [room, room + 1, room + 24, room + 4_119, room + 100_000, log.length - 1]) {
    putBytes(file, withByte(bytes, { suffix: "-wal", offset, xor: 0xff }));
    assert.equal(await eventsIn(file), killed.acknowledged, `byte ${String(offset)}`);
  }
  putBytes(file, bytes);
  assert.equal(await eventsIn(file), killed.acknowledged);
  const again = await write(file, 40);
  assert.equal(again.status, 0, again.stderr);
  assert.equal(await eventsIn(file), 40);
});

test("J1 J2 processes that write to one store at once never write over each other's part of the log", async (t) => {
  const file = storeFile(t);
  assert.equal(await eventsIn(file), 0);
  const runs = ["run_a", "run_b", "run_c"];
  const ended = await Promise.all(runs.map((run) => write(file, 150, { run })));
  for (const { status, stderr } of ended) assert.equal(status, 0, stderr);
  for (const run of runs) assert.equal(await eventsIn(file, run), 150);
});
