import { existsSync } from "node:fs";
import path from "node:path";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Bench, BenchContext, Figure, Findings, Ratio } from "../harness/bench.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { measureInChild, wholeLifeMs } from "../harness/child.ts";
import { inTurns } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { createRuns, type RunWriter } from "../sides/journal-writer.ts";
import { heardEvent } from "../sides/sample-events.ts";
import { count } from "./growth.ts";

const RUNS_AT_ONCE = 500;
const OPEN_RUNS = 20;
const EVENTS_PER_RUN = 10;
const REPOSITORY = path.join(import.meta.dirname, "..", "..");
const LAUNCHER = path.join(REPOSITORY, "bin", "holdfast.js");

export const listingBench: Bench = { name: "listing", title: "status and runs with many runs", run };

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const runs = quick ? 1_000 : 10_000;
  const rounds = quick ? 3 : 9;
  const file = path.join(folder, "listing.db");
  progress(`${count(runs)} runs of ${String(EVENTS_PER_RUN)} events`);
  await buildStore(file, runs);
  progress("measuring the library");
  const library = await libraryFindings(file, runs, rounds);
  const built = existsSync(path.join(REPOSITORY, "dist", "main.js"));
  if (built) progress("measuring the command line");
  const commands = built ? await commandFindings(file, folder, rounds) : { figures: [], ratios: [] };
  return {
    says: `A SQLite store with ${count(runs)} runs, of which ${String(OPEN_RUNS)} have not ended. First what the two commands do with the library, in a process of their own and without loading modules; beside it, the same rows read by a bare query. Then the real commands, from the start of their process to its end, beside \`holdfast --version\`, which opens no store. ${String(rounds)} rounds.`,
    figures: [...library.figures, ...commands.figures],
    ratios: [...library.ratios, ...commands.ratios],
    ...(built ? {} : { skipped: "the real commands; there is no `dist/`, run `npm run build` first" }),
  };
}

type Part = Pick<Findings, "figures" | "ratios">;

async function libraryFindings(file: string, runs: number, rounds: number): Promise<Part> {
  const [shown = [], status = [], bare = []] = await inTurns(
    [
      () => measureInChild("show-runs.ts", [file], runs),
      () => measureInChild("show-status.ts", [file], EVENTS_PER_RUN),
      () => measureInChild("list-rows.ts", [file], runs),
    ],
    rounds,
  );
  const bareMs = bare.map(({ ms }) => ms);
  const parts = [
    { what: "runs, library", measured: shown },
    { what: "status, library", measured: status },
    { what: "bare node:sqlite open and query", measured: bare },
  ];
  return {
    figures: parts.flatMap(({ what, measured }): Figure[] => [
      { what, unit: "ms", spread: spreadOf(measured.map(({ ms }) => ms)) },
      { what: `${what}: peak memory`, unit: "MB", spread: spreadOf(measured.map(({ peakMb }) => peakMb)) },
    ]),
    ratios: parts.slice(0, 2).map(({ what, measured }) => ({
      what: `${what} / bare query`,
      spread: ratioOf(
        measured.map(({ ms }) => ms),
        bareMs,
      ),
    })),
  };
}

async function commandFindings(file: string, home: string, rounds: number): Promise<Part> {
  const env = { HOLDFAST_HOME: path.join(home, "home") };
  const commands = ["runs", "status", "--version"];
  const values = await inTurns(
    commands.map(
      (command) => () =>
        wholeLifeMs(
          [LAUNCHER, command, ...(command.startsWith("-") ? [] : ["--store", `sqlite:${file}`])],
          env,
        ),
    ),
    rounds,
  );
  const times = commands.map((command, index) => ({
    what: `\`holdfast ${command}\``,
    ms: values[index] ?? [],
  }));
  const version = values[2] ?? [];
  return {
    figures: times.map(({ what, ms }): Figure => ({ what, unit: "ms", spread: spreadOf(ms) })),
    ratios: times.slice(0, 2).map(({ what, ms }): Ratio => ({
      what: `${what} / \`holdfast --version\``,
      spread: ratioOf(ms, version),
    })),
  };
}

/** All but the newest few have ended. */
async function buildStore(file: string, runs: number): Promise<void> {
  const journal = await openSqliteJournal({ file, world });
  for (let made = 0; made < runs; made += RUNS_AT_ONCE) {
    const writers = await createRuns(journal, `run_${String(made)}`, Math.min(RUNS_AT_ONCE, runs - made));
    await Promise.all(writers.map((writer, index) => live(writer, made + index < runs - OPEN_RUNS)));
  }
  await journal.close();
}

async function live(writer: RunWriter, ends: boolean): Promise<void> {
  await writer.growTo(EVENTS_PER_RUN - 1, EVENTS_PER_RUN);
  if (ends) await writer.append([{ type: "RunCompleted", data: { result: "done" } }], "completed");
  else await writer.append([heardEvent(EVENTS_PER_RUN)]);
}
