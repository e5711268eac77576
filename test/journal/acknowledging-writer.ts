import { writeSync } from "node:fs";
import { argv, env, exit, stderr } from "node:process";
import type { Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { Fault } from "../../src/model/fault.ts";
import { crashOptionsFrom, realWorld } from "../../src/real-world.ts";

/**
 * A process that appends to one run, and says on stdout each sequence number it was given an answer for.
 * `node acknowledging-writer.ts FILE APPENDS [patient|hasty] [RUN]`. It ends with 0 when done, with 3 after a fault,
 * which it prints as JSON on stderr; a patient one tries again what may be tried later.
 */

const [file = "", appends = "10", patience = "hasty", RUN = "run_written"] = argv.slice(2);
const TRIES_MAX = 5;
const world = realWorld(crashOptionsFrom(env));

async function write(journal: Journal): Promise<void> {
  const owner = { id: world.id("own"), process: world.self };
  const seen = await journal.lease(RUN);
  const claim = seen === null ? await journal.claim(RUN, owner) : await journal.takeOver(RUN, owner, seen);
  if (claim.kind !== "claimed") throw new Error("nobody else should hold the run");
  for (let seq = (await journal.head(RUN))?.seq ?? 0; seq < Number(appends);) {
    seq = await appended(journal, claim.epoch, seq);
    writeSync(1, `${String(seq)}\n`);
  }
}

/** Of many sizes, so that a log frame is not the measure of an append. */
async function appended(journal: Journal, epoch: number, expected: number): Promise<number> {
  const outcome = await journal.append({
    run: RUN,
    expected,
    epoch,
    at: world.now(),
    events: [
      {
        type: "StepSucceeded",
        data: { step: "s", attempt: "s#1", result: "r".repeat((expected % 4) * 3_000) },
      },
    ],
    listing: { status: "running", goal: "write", wakeAt: null },
  });
  if (outcome.kind === "appended") return outcome.head.seq;
  // What was written although its answer was lost is found by asking.
  if (outcome.kind === "conflict" && outcome.head !== null) return outcome.head.seq;
  throw new Error(`refused: ${outcome.kind}`);
}

async function once(): Promise<void> {
  const journal = await openSqliteJournal({ file, world });
  try {
    await write(journal);
  } catch (error) {
    await journal.close().catch((atClose: unknown) => {
      if (!(atClose instanceof Fault)) throw atClose;
    });
    throw error;
  }
  await journal.close();
}

for (let tries = 1; ; tries++) {
  try {
    await once();
    exit(0);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    stderr.write(`${JSON.stringify({ code: error.code, retry: error.retry, message: error.message })}\n`);
    if (patience !== "patient" || tries === TRIES_MAX) exit(3);
  }
}
