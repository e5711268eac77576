import path from "node:path";
import { FOLD_VERSION } from "../../src/fold/fold-version.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { loadKnownRun } from "../../src/runtime/load-run.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { measureInChild } from "../harness/child.ts";
import { inTurns } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { RunWriter } from "../sides/journal-writer.ts";
import { count } from "./growth.ts";

const EVENTS_PER_APPEND = 2_000;
/** As many as an owner lets pass before it takes the next snapshot: the worst case. */
const EVENTS_SINCE_SNAPSHOT = 499;
const RUN = "run_long";

export const loadBench: Bench = { name: "load", title: "Reopening a long run", run };

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const events = quick ? 1e4 : 1e5;
  progress(`two runs of ${count(events)} events, one with a snapshot`);
  const [plain, snapshot] = [path.join(folder, "plain.db"), path.join(folder, "snapshot.db")];
  await buildRun(plain, events);
  await buildRun(snapshot, events, { snapshotAt: events - EVENTS_SINCE_SNAPSHOT });
  progress("measuring");
  const alternatives = [snapshot, plain].map(
    (file) => () => measureInChild("load-one-run.ts", [file, RUN], events),
  );
  const [quickLoads = [], slowLoads = []] = await inTurns(alternatives, quick ? 3 : 9);
  const [withMs, withoutMs] = [quickLoads.map(({ ms }) => ms), slowLoads.map(({ ms }) => ms)];
  const memory = (loads: typeof quickLoads) => spreadOf(loads.map(({ peakMb }) => peakMb));
  return {
    says: `A new process opens a SQLite store and folds a run of ${count(events)} events, each checked against its hash and its schema; with a snapshot that is ${String(EVENTS_SINCE_SNAPSHOT)} events old, and without one. Loading modules does not count, memory does. ${String(withMs.length)} rounds.`,
    figures: [
      { what: "load with a snapshot", unit: "ms", spread: spreadOf(withMs), target: { atMost: 200 } },
      { what: "load without a snapshot", unit: "ms", spread: spreadOf(withoutMs) },
      { what: "load with a snapshot: peak memory of the process", unit: "MB", spread: memory(quickLoads) },
      { what: "load without a snapshot: peak memory", unit: "MB", spread: memory(slowLoads) },
    ],
    ratios: [{ what: "time without a snapshot / with one", spread: ratioOf(withoutMs, withMs) }],
  };
}

async function buildRun(
  file: string,
  events: number,
  extra?: { readonly snapshotAt: number },
): Promise<void> {
  const journal = await openSqliteJournal({ file, world });
  const writer = await RunWriter.create(journal, RUN);
  if (extra !== undefined) {
    await writer.growTo(extra.snapshotAt, EVENTS_PER_APPEND);
    const state = JSON.stringify(await loadKnownRun(journal, RUN));
    await journal.saveSnapshot(RUN, { ...writer.end, fold: FOLD_VERSION, state });
  }
  await writer.growTo(events, EVENTS_PER_APPEND);
  await journal.close();
}
