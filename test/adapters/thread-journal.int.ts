import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import {
  type Packed,
  packedSince,
  type PutRecord,
  type ThreadIndex,
  type ThreadRecord,
} from "../../src/adapters/langgraph/thread-index.ts";
import {
  runOf,
  ThreadJournal,
  threadsOf,
  type ThreadPorts,
} from "../../src/adapters/langgraph/thread-journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { isFault } from "../../src/model/fault.ts";
import { realWorld } from "../../src/real-world.ts";
import { Leases } from "../../src/runtime/leases.ts";

let folder = "";
let opened: ThreadPorts[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-thread-"));
  opened = [];
});
afterEach(async () => {
  for (const { journal } of opened) await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A handle of its own, as another process would have. */
async function openPorts(): Promise<ThreadPorts> {
  const world = realWorld();
  const journal = await openSqliteJournal({ file: path.join(folder, "threads.db"), world });
  const ports = { journal, world, leases: new Leases(journal, world, 30_000) };
  opened.push(ports);
  return ports;
}

const put = (id: string, version: string, value: Packed, parent: string | null = null): PutRecord => ({
  kind: "put",
  ns: "",
  id,
  parent,
  checkpoint: { json: { id, channel_versions: { list: version } } },
  metadata: { json: {} },
  values: { list: { version, value } },
});

const ids = (index: ThreadIndex): string[] => index.checkpoints("").map(({ id }) => id);

test("J5 what one handle has written to a thread is read by another, in order and without its lease", async () => {
  const [mine, theirs] = [await openPorts(), await openPorts()];
  const writer = new ThreadJournal(mine, "a thread/with odd letters: ü");
  await Promise.all(["1", "2", "3"].map((id) => writer.write(() => put(id, id, { json: [id] }))));
  const reader = new ThreadJournal(theirs, writer.thread);
  assert.deepEqual(ids(await reader.read()), ["3", "2", "1"]);
  await writer.write((): ThreadRecord => put("4", "4", { type: "bytes", base64: "AAE=" }));
  assert.deepEqual((await reader.read()).value("", "list", "4"), { type: "bytes", base64: "AAE=" });
  assert.deepEqual(await threadsOf(theirs.journal), [writer.thread]);
  assert.match(runOf(writer.thread), /^langgraph\/x-[0-9a-f]{64}$/);
  await writer.release();
});

test("J5 a thread has one writer: another is refused by name until the first lets go, and then goes on", async () => {
  const [mine, theirs] = [await openPorts(), await openPorts()];
  const first = new ThreadJournal(mine, "t");
  const second = new ThreadJournal(theirs, "t");
  await first.write(() => put("1", "1", { json: 1 }));
  const refused = second.write(() => put("2", "2", { json: 2 }));
  await assert.rejects(
    refused,
    (error) => isFault(error, "refused") && /"t" is being written by process \d+/.test(error.message),
  );
  await first.release();
  await second.write(() => put("2", "2", { json: 2 }));
  assert.deepEqual(ids(await first.read()), ["2", "1"]);
  await second.release();
});

test("J5 a list that grows in a channel is stored as what was added, and read whole", async () => {
  const ports = await openPorts();
  const thread = new ThreadJournal(ports, "t");
  const text = "x".repeat(1_000);
  let messages: string[] = [];
  for (let n = 1; n <= 50; n += 1) {
    messages = [...messages, `${String(n)} ${text}`];
    const value = { json: [...messages] };
    await thread.write((index) => {
      const since = n === 1 ? undefined : String(n - 1);
      const stored = packedSince(
        value,
        since,
        since === undefined ? undefined : index.value("", "list", since),
      );
      return {
        ...put(String(n).padStart(3, "0"), String(n), value),
        values: { list: { version: String(n), value: stored } },
      };
    });
  }
  const events = await ports.journal.readStored(runOf("t"), { after: 0, limit: 1_000 });
  const sizes = events.map(({ data }) => data.length);
  assert.ok(Math.max(...sizes) < 2_000, `a record of ${String(Math.max(...sizes))} bytes`);
  const fresh = await new ThreadJournal(await openPorts(), "t").read();
  assert.deepEqual(fresh.value("", "list", "50"), { json: messages });
  assert.deepEqual(fresh.value("", "list", "7"), { json: messages.slice(0, 7) });
  await thread.release();
});

test("J5 a removed thread is gone for every reader, and its name may be used again", async () => {
  const ports = await openPorts();
  const thread = new ThreadJournal(ports, "t");
  await thread.write(() => put("1", "1", { json: 1 }));
  const reader = new ThreadJournal(await openPorts(), "t");
  assert.deepEqual(ids(await reader.read()), ["1"]);
  await thread.remove();
  assert.deepEqual(ids(await reader.read()), []);
  await thread.write(() => put("2", "1", { json: 2 }));
  assert.deepEqual(ids(await reader.read()), ["2"]);
  await thread.release();
});
