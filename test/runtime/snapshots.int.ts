import assert from "node:assert/strict";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { evolve } from "../../src/fold/evolve.ts";
import { FOLD_VERSION } from "../../src/fold/fold-version.ts";
import type { Journal, Snapshot } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { realWorld } from "../../src/real-world.ts";
import { loadKnownRun, openRun } from "../../src/runtime/load-run.ts";
import { makeFolder, removeFolder } from "../journal/store-folder.ts";
import { bench, step, type Bench } from "./worked-run.ts";

const EVENTS = 100_000;
const PAGE = 1_000;

/** The journal, and how many events were read from it since last asked. */
function counting(journal: Journal): { journal: Journal; read: () => number } {
  let read = 0;
  const counted: Journal = {
    ...journal,
    async read(run, page) {
      const events = await journal.read(run, page);
      read += events.length;
      return events;
    },
  };
  return { journal: counted, read: () => [read, (read = 0)][0] ?? 0 };
}

async function aStore(t: TestContext): Promise<{ bench: Bench; read: () => number }> {
  const folder = makeFolder("quick");
  const store = await openSqliteJournal({ file: path.join(folder, "journal.db"), world: realWorld() });
  const { journal, read } = counting(store);
  const made = bench({ quick: () => "done" }, { journal });
  t.after(async () => {
    await made.close();
    removeFolder(folder);
  });
  return { bench: made, read };
}

const noise = (index: number): RunEvent => ({
  type: "LimitReached",
  data: { what: "noise", bound: index, detail: "" },
});

/** Appends events to a run up to a length, and folds along; answers the state and the hash of its last event. */
async function grow(journal: Journal, made: { run: string; epoch: number }, to: number) {
  let state: RunState = await loadKnownRun(journal, made.run);
  let hash = "";
  while (state.seq < to) {
    const events = Array.from({ length: Math.min(PAGE, to - state.seq) }, (_, index) => noise(index));
    const { run, epoch } = made;
    const listing = { status: state.status, goal: state.goal, wakeAt: null };
    const outcome = await journal.append({ run, epoch, expected: state.seq, at: 1, events, listing });
    assert.ok(outcome.kind === "appended");
    ({ hash } = outcome.head);
    for (const event of events) state = evolve(state, event, { run, seq: state.seq + 1, at: 1 });
  }
  return { state, hash };
}

test("J3 a run with 100,000 events is reopened from its snapshot by reading only what came after it", async (t) => {
  const { bench: on, read } = await aStore(t);
  const { journal } = on.ports;
  const made = await on.create([step("one", "quick")]);
  const { state, hash } = await grow(journal, made, EVENTS - 10);
  const snapshot = { seq: state.seq, hash, fold: FOLD_VERSION, state: JSON.stringify(state) };
  await journal.saveSnapshot(made.run, snapshot);
  const end = await grow(journal, made, EVENTS);
  read();
  assert.deepEqual(await loadKnownRun(journal, made.run), end.state);
  assert.equal(read(), 10);

  await journal.saveSnapshot(made.run, {
    ...snapshot,
    fold: `${FOLD_VERSION}-another`,
    state: '{"seq":99990}',
  });
  assert.deepEqual(await loadKnownRun(journal, made.run), end.state);
  assert.equal(read(), 10, "a snapshot of another fold is neither read nor in the way");

  await journal.saveSnapshot(made.run, { ...snapshot, hash: "ab".repeat(32), state: '{"seq":99990}' });
  assert.deepEqual(await loadKnownRun(journal, made.run), end.state);
  assert.equal(read(), EVENTS, "a snapshot that stands on another event is as good as none");
});

/** Of this fold and on the chain, but no state that it could have made. */
async function assertIgnored(journal: Journal, run: string, snapshot: Snapshot): Promise<void> {
  const state = JSON.parse(snapshot.state) as RunState;
  const without: Partial<RunState> = { ...state };
  delete without.status;
  const bad = [
    { ...state, run: "another" },
    { ...state, seq: state.seq - 1 },
    { ...state, steps: [] },
    { ...state, steps: { one: { ...state.steps["one"], spent: 7 } } },
    without,
    [],
    null,
  ].map((value) => JSON.stringify(value));
  for (const text of ["{", ...bad]) {
    await journal.saveSnapshot(run, { ...snapshot, state: text });
    const loaded = await openRun(journal, run);
    assert.equal(loaded?.snapshotSeq, 0, text.slice(0, 80));
    assert.deepEqual(loaded.state, state);
  }
  await journal.saveSnapshot(run, { ...snapshot, fold: `${FOLD_VERSION}-another` });
  assert.equal(
    (await openRun(journal, run))?.snapshotSeq,
    0,
    "a good one of another fold is not read either",
  );
}

test("J3 a snapshot that holds no state of this run, or not the form of a state, is ignored", async (t) => {
  const { bench: on } = await aStore(t);
  const { journal } = on.ports;
  const made = await on.create([step("one", "quick")]);
  const { state, hash } = await grow(journal, made, 20);
  const snapshot = { seq: 20, hash, fold: FOLD_VERSION, state: JSON.stringify(state) };
  await journal.saveSnapshot(made.run, snapshot);
  assert.equal((await openRun(journal, made.run))?.snapshotSeq, 20);
  await assertIgnored(journal, made.run, snapshot);
});

test("J3 owners that come and go leave a snapshot behind, however little each of them writes", async (t) => {
  const { bench: on, read } = await aStore(t);
  const { journal } = on.ports;
  const made = await on.create([step("one", "quick")]);
  await grow(journal, made, 3_000);
  await on.leases.release(made.run, made.epoch);
  assert.equal(await journal.loadSnapshot(made.run), null);
  await on.supervisor({ only: made.run }).work();
  const first = await journal.loadSnapshot(made.run);
  assert.ok(
    first !== null && first.seq > 3_000,
    "the first append of an owner that had to read so much writes one",
  );
  read();
  const loaded = await openRun(journal, made.run);
  assert.equal(loaded?.snapshotSeq, first.seq);
  assert.equal(loaded.state.status, "completed");
  assert.ok(read() <= 500);
});

test("J3 a later snapshot takes the place of the one before", async (t) => {
  const { bench: on } = await aStore(t);
  const { journal } = on.ports;
  const made = await on.create([step("one", "quick")]);
  for (const length of [10, 20]) {
    const { state, hash } = await grow(journal, made, length);
    const snapshot = { seq: length, hash, fold: FOLD_VERSION, state: JSON.stringify(state) };
    await journal.saveSnapshot(made.run, snapshot);
    assert.deepEqual(await journal.loadSnapshot(made.run), snapshot);
  }
  assert.equal((await openRun(journal, made.run))?.snapshotSeq, 20);
  assert.deepEqual(await journal.verify(), []);
});
