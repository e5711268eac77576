import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { argv } from "node:process";
import type { Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { isFault } from "../../src/model/fault.ts";
import { realWorld } from "../../src/real-world.ts";

/**
 * A real small disk that fills up, is freed, and becomes read-only. `node small-disk.ts FOLDER`, run in a mount
 * namespace of its own, so that the disk ends with the process. Prints what happened, step by step, as JSON.
 */

const folder = argv[2] ?? "";
const file = path.join(folder, "journal.db");
const ballast = path.join(folder, "ballast");
const RUN = "run_small";
const world = realWorld();
const mount = (...args: string[]): void => void execFileSync("mount", args, { stdio: "pipe" });

mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", folder);
let journal = await openSqliteJournal({ file, world });
writeFileSync(ballast, Buffer.alloc(600 * 1_024));
const claim = await journal.claim(RUN, { id: "own_small", process: world.self });
const epoch = claim.kind === "claimed" ? claim.epoch : 0;

async function append(expected: number): Promise<number> {
  const outcome = await journal.append({
    run: RUN,
    expected,
    epoch,
    at: 1,
    events: [{ type: "StepSucceeded", data: { step: "s", attempt: "s#1", result: "r".repeat(5_000) } }],
    listing: { status: "running", goal: "fill", wakeAt: null },
  });
  assert.equal(outcome.kind, "appended");
  return outcome.kind === "appended" ? outcome.head.seq : expected;
}

/** The code of the fault that ends it. */
async function faultOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "none";
  } catch (error) {
    if (!isFault(error)) throw error;
    return error.code;
  }
}

const eventsIn = async (opened: Journal): Promise<number> =>
  (await opened.read(RUN, { after: 0, limit: 1_000 })).length;

let acknowledged = 0;
const full = await faultOf(async () => {
  for (;;) acknowledged = await append(acknowledged);
});
const whileFull = await eventsIn(journal);
rmSync(ballast);
const before = acknowledged;
for (let more = 0; more < 3; more++) acknowledged = await append(acknowledged);
await journal.close();

journal = await openSqliteJournal({ file, world });
const damages = await journal.verify();
const afterwards = await eventsIn(journal);
await journal.close();

mount("-o", "remount,ro", folder);
const readOnly = await faultOf(() => openSqliteJournal({ file, world }));
mount("-o", "remount,rw", folder);
journal = await openSqliteJournal({ file, world });
acknowledged = await append(acknowledged);
const atLast = await eventsIn(journal);
await journal.close();

console.log(JSON.stringify({ full, before, whileFull, afterwards, damages, readOnly, acknowledged, atLast }));
