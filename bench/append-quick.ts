// Ratios of the SQLite journal's append against a bare node:sqlite insert, in one run: node bench/append-quick.ts
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteJournal } from "../src/journal/sqlite/sqlite-journal.ts";
import type { Journal } from "../src/journal/journal.ts";
import type { World } from "../src/model/world.ts";

const TURNS = 30;
const PER_TURN = 100;
const RUNS = 100;
const ROUNDS = 5;
const text = "x".repeat(120);
const event = { type: "LimitReached", data: { what: "bench", bound: 1, detail: text } } as const;
const owner = { id: "own_bench", process: { host: "bench", pid: 1, startedAt: "0" } };
const world: World = {
  self: owner.process,
  now: () => 0,
  chance: () => 0,
  id: (prefix) => prefix,
  timer: () => () => undefined,
  liveness: () => "unknown",
  crashPoint: () => undefined,
};

interface Side {
  /** Does so many more, one after the other. */
  more(times: number): Promise<void>;
  close(): Promise<void>;
}

function bareInsert(file: string): Side {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  db.exec("CREATE TABLE events (position INTEGER PRIMARY KEY, run TEXT, seq INTEGER, data TEXT)");
  const insert = db.prepare("INSERT INTO events (run, seq, data) VALUES (?, ?, ?)");
  const data = JSON.stringify(event.data);
  let seq = 0;
  return {
    async more(times) {
      for (const end = seq + times; seq < end; seq += 1)
        await Promise.resolve(insert.run("run_a", seq, data));
    },
    close: () => Promise.resolve(db.close()),
  };
}

async function oneRun(journal: Journal, run: string): Promise<Side> {
  const claimed = await journal.claim(run, owner);
  if (claimed.kind !== "claimed") throw new Error(`${run} is held`);
  const listing = { status: "running", goal: "measure", wakeAt: null } as const;
  let seq = 0;
  return {
    async more(times) {
      for (const end = seq + times; seq < end; seq += 1) {
        const order = { run, expected: seq, epoch: claimed.epoch, at: seq, events: [event], listing };
        const outcome = await journal.append(order);
        if (outcome.kind !== "appended") throw new Error(outcome.kind);
      }
    },
    close: () => journal.close(),
  };
}

async function manyRuns(journal: Journal): Promise<Side> {
  const runs = await Promise.all(
    Array.from({ length: RUNS }, (_, index) => oneRun(journal, `run_${String(index)}`)),
  );
  return {
    more: async (times) => void (await Promise.all(runs.map((run) => run.more(times / RUNS)))),
    close: () => journal.close(),
  };
}

/** Rates per second of all sides, taken in turns of a few, so that a busy neighbour slows all of them. */
async function compare(sides: readonly Side[]): Promise<number[]> {
  const spentMs = sides.map(() => 0);
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [index, side] of sides.entries()) {
      const began = performance.now();
      await side.more(PER_TURN);
      spentMs[index] = (spentMs[index] ?? 0) + performance.now() - began;
    }
  return spentMs.map((ms) => (TURNS * PER_TURN) / (ms / 1_000));
}

const folder = mkdtempSync(join(tmpdir(), "append-quick-"));
try {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const file = (name: string) => join(folder, `${name}-${String(round)}.db`);
    const open = (name: string) => openSqliteJournal({ file: file(name), world });
    const sides = [
      bareInsert(file("bare")),
      await oneRun(await open("one"), "run_a"),
      await manyRuns(await open("many")),
    ];
    const [insert = 0, alone = 0, together = 0] = await compare(sides);
    for (const side of sides) await side.close();
    console.log(
      `bare insert ${insert.toFixed(0)}/s · append alone ${alone.toFixed(0)}/s (${(alone / insert).toFixed(2)} of bare) · ${String(RUNS)} runs ${together.toFixed(0)}/s (${(together / alone).toFixed(1)} times alone)`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
