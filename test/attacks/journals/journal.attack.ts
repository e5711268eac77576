import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { isFault } from "../../../src/model/fault.ts";
import { realWorld } from "../../../src/real-world.ts";
import { sampleRun, writeChapter } from "../../journal/sample-journal.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { sample } from "../sample.ts";

const world = realWorld();
const RUNS = [1, 2, 3, 4];
/** Events are keyed by their run and their place in it. */
const LAST = "(SELECT max(key) FROM events WHERE key >> 32 = 2)";
const FIRST = "(SELECT min(key) FROM events WHERE key >> 32 = 2)";

/** Ways to rewrite a store by its own database, as the one that may write to the file could. */
const REWRITES: Readonly<Record<string, string>> = {
  "cuts the last event off": `DELETE FROM events WHERE key = ${LAST}`,
  "cuts the last three off": `DELETE FROM events WHERE key > ${LAST} - 3 AND key >> 32 = 2`,
  "deletes one in the middle": `DELETE FROM events WHERE key = ${FIRST} + 3`,
  "deletes the first": `DELETE FROM events WHERE key = ${FIRST}`,
  "deletes all events of a run": "DELETE FROM events WHERE key >> 32 = 2",
  "swaps two": `UPDATE events SET key = -1 WHERE key = ${FIRST} + 2; UPDATE events SET key = ${FIRST} + 2 WHERE key = ${FIRST} + 3; UPDATE events SET key = (SELECT min(key) FROM events WHERE key >> 32 = 2) + 3 WHERE key = -1`,
  "changes what was said": `UPDATE events SET data = replace(data, 'a', 'b') WHERE key = ${FIRST} + 1`,
  "changes what kind it is": `UPDATE events SET type = 'RunPaused' WHERE key = ${FIRST} + 2`,
  "changes when it was": `UPDATE events SET at = at - 86400000 WHERE key = ${FIRST} + 2`,
  "puts another run's event in": `UPDATE events SET data = (SELECT data FROM events WHERE key >> 32 = 1 LIMIT 1) WHERE key = ${FIRST} + 2`,
  "puts one in twice": `INSERT INTO events (key, at, type, hash, data) SELECT key + 1, at, type, hash, data FROM events WHERE key = ${LAST}`,
  "takes a hash from elsewhere": `UPDATE events SET hash = (SELECT hash FROM events WHERE key = ${FIRST}) WHERE key = ${FIRST} + 2`,
  "moves the record of the end": `UPDATE events SET key = key - 1 WHERE key = ${LAST} - 1 + 1 AND NOT EXISTS (SELECT 1 FROM events e WHERE e.key = events.key - 1); DELETE FROM events WHERE key = ${LAST} - 1`,
  "empties a hash": `UPDATE events SET hash = x'' WHERE key = ${FIRST} + 2`,
};

async function makeStore(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "journal.db");
  const journal = await openSqliteJournal({ file, world });
  await writeChapter(journal, { runs: RUNS, appendsPerRun: 6 });
  await journal.close();
  return file;
}

const SUFFIXES = ["", "-wal", "-shm", "-ack"];

function copyStore(from: string, to: string): void {
  mkdirSync(path.dirname(to), { recursive: true });
  for (const suffix of SUFFIXES)
    if (existsSync(`${from}${suffix}`)) copyFileSync(`${from}${suffix}`, `${to}${suffix}`);
    else rmSync(`${to}${suffix}`, { force: true });
}

/** Whether opening, reading or verifying refuses the store, and names where. */
async function refusal(file: string): Promise<string | null> {
  try {
    const journal = await openSqliteJournal({ file, world });
    try {
      const damages = await journal.verify();
      if (damages.length > 0) return JSON.stringify(damages);
      for (const number of RUNS) await journal.read(sampleRun(number), { after: 0, limit: 1_000 });
      return null;
    } finally {
      await journal.close();
    }
  } catch (error) {
    if (!isFault(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

async function rewrite({ folder, count, seed }: Stage): Promise<Tried> {
  const original = await makeStore(path.join(folder, "original"));
  assert.equal(await refusal(original), null, "the store as it was written is sound");
  const ways = sample(Object.entries(REWRITES), count, seed);
  const succeeded: string[] = [];
  for (const [at, [name, sql]] of ways.entries()) {
    const file = path.join(folder, String(at), "journal.db");
    copyStore(original, file);
    const db = new DatabaseSync(file);
    db.exec("PRAGMA foreign_keys = OFF");
    db.exec(sql);
    db.close();
    const why = await refusal(file);
    if (why === null) succeeded.push(`nobody notices whoever ${name}`);
    else if (!/\d/.test(why)) succeeded.push(`whoever ${name} is refused without a position: ${why}`);
  }
  return tried(ways.length, succeeded);
}

/** An older copy of the database or of its log comes back, while the mark of what was acknowledged stays. */
async function replay({ folder }: Stage): Promise<Tried> {
  const file = await makeStore(path.join(folder, "store"));
  const old = path.join(folder, "old", "journal.db");
  copyStore(file, old);
  const journal = await openSqliteJournal({ file, world });
  await writeChapter(journal, { runs: RUNS, appendsPerRun: 4 });
  await journal.close();
  const succeeded: string[] = [];
  const ways = [["", "-wal", "-shm"], [""], ["-wal"]];
  for (const [at, suffixes] of ways.entries()) {
    const again = path.join(folder, `again-${String(at)}`, "journal.db");
    copyStore(file, again);
    for (const suffix of suffixes)
      if (existsSync(`${old}${suffix}`)) copyFileSync(`${old}${suffix}`, `${again}${suffix}`);
      else rmSync(`${again}${suffix}`, { force: true });
    const changed = suffixes.some((suffix) => suffix === "" || existsSync(`${file}${suffix}`));
    if (changed && (await refusal(again)) === null)
      succeeded.push(`an old ${suffixes.join(" and ")} is taken`);
  }
  return tried(ways.length, succeeded);
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T17", level: "any", promised: "prevented" },
    title: "somebody who can write to the store cuts, swaps, deletes or changes events in its database",
    count: { full: Object.keys(REWRITES).length, short: 8 },
    run: rewrite,
  },
  {
    ...{ threat: "T17", level: "any", promised: "prevented", count: { full: 1, short: 1 } },
    title: "somebody puts an older file of the store back beside a newer mark",
    run: replay,
  },
];
