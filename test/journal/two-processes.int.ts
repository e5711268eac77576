import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { contendForPositions, stopOwners, type Arena } from "./contest.ts";
import { quietWorld } from "./contract/scene.ts";

const APPENDS = 1_000;
const STOPS = 10;
/** Short, because an owner stopped inside a transaction keeps everybody waiting for so long. */
const BUSY_MS = 50;

function sqliteArena(): Arena {
  const folder = mkdtempSync(join(tmpdir(), "two-processes-"));
  const file = join(folder, "store.db");
  const connect = (path: string) => new DatabaseSync(path, { timeout: BUSY_MS });
  return {
    store: file,
    open: () => openSqliteJournal({ file, world: quietWorld(), connect }),
    remove: async () => rmSync(folder, { recursive: true }),
  };
}

test("J1 two processes contend for 1,000 positions of one run, and each has exactly one winner (I9)", async () => {
  await contendForPositions(sqliteArena(), APPENDS);
});

test("J1 an owner stopped by SIGSTOP that wakes after it was taken over from writes nothing (I9)", async () => {
  await stopOwners(sqliteArena(), STOPS);
});
