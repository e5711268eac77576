import path from "node:path";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Bench, BenchContext, Figure, Findings, Ratio } from "../harness/bench.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { measureInChild } from "../harness/child.ts";
import { inTurns } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { createRuns } from "../sides/journal-writer.ts";
import { count } from "./growth.ts";

const EVENTS_PER_APPEND = 500;
const BARE = "bare node:sqlite open and query";

export const reopenBench: Bench = { name: "reopen", title: "Reopening a long journal", run };

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const runs = quick ? 100 : 1_000;
  const eventsPerRun = 1_000;
  const file = path.join(folder, "reopen.db");
  progress(`${count(runs)} runs of ${count(eventsPerRun)} events`);
  await buildStore(file, runs, eventsPerRun);
  progress("measuring");
  const alternatives = ["list-runs.ts", "list-rows.ts"].map(
    (program) => () => measureInChild(program, [file], runs),
  );
  const [listed = [], bare = []] = await inTurns(alternatives, quick ? 3 : 11);
  const [listedMs, bareMs] = [listed.map(({ ms }) => ms), bare.map(({ ms }) => ms)];
  const what = `open and list, ${count(runs * eventsPerRun)} events`;
  const figures: Figure[] = [
    { what, unit: "ms", spread: spreadOf(listedMs), target: { atMost: 1_000 } },
    { what: BARE, unit: "ms", spread: spreadOf(bareMs) },
    {
      what: `${what}: peak memory of the process`,
      unit: "MB",
      spread: spreadOf(listed.map(({ peakMb }) => peakMb)),
      target: { atMost: 200 },
    },
    { what: `${BARE}: peak memory`, unit: "MB", spread: spreadOf(bare.map(({ peakMb }) => peakMb)) },
  ];
  const ratios: Ratio[] = [{ what: `open and list / ${BARE}`, spread: ratioOf(listedMs, bareMs) }];
  return {
    says: `A SQLite store with ${count(runs)} runs of ${count(eventsPerRun)} events each is opened by a new process, which lists all runs; loading modules does not count, memory does. The bare side opens the same file and reads the same rows without any check. ${String(listed.length)} rounds.`,
    figures,
    ratios,
  };
}

async function buildStore(file: string, runs: number, eventsPerRun: number): Promise<void> {
  const journal = await openSqliteJournal({ file, world });
  const writers = await createRuns(journal, "run_reopen", runs);
  for (const writer of writers) await writer.growTo(eventsPerRun, EVENTS_PER_APPEND);
  await journal.close();
}
