import { mkdirSync } from "node:fs";
import path from "node:path";
import { FOLD_VERSION } from "../../src/fold/fold-version.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { loadKnownRun } from "../../src/runtime/load-run.ts";
import type { ApiClient } from "../../src/api/client/client.ts";
import type { Bench, BenchContext, Figure, Findings, Ratio } from "../harness/bench.ts";
import { isBuilt, NOT_BUILT, serveStore } from "../harness/api-server.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { RunWriter } from "../sides/journal-writer.ts";
import { count } from "./growth.ts";

const SHORT_EVENTS = 1_000;
const EVENTS_PER_APPEND = 2_000;
const EVENTS_SINCE_SNAPSHOT = 499;
const LIMIT = 200;

export const apiPagesBench: Bench = { name: "api-pages", title: "Pages of a long run over the API", run };

type Page = (client: ApiClient, run: string, events: number) => Promise<unknown>;
const windowed =
  (
    method:
      | "getTimeline"
      | "getSeries"
      | "listAttempts"
      | "getTranscript"
      | "getHealth"
      | "listRemedies"
      | "listOwners",
  ): Page =>
  (client, run) =>
    client[method]({ params: { run }, query: { limit: LIMIT } });

const PAGES: Readonly<Record<string, Page>> = {
  "events, the end": (client, run, events) =>
    client.listEvents({ params: { run }, query: { before: events + 1, limit: LIMIT } }),
  "events, the middle": (client, run, events) =>
    client.listEvents({ params: { run }, query: { after: Math.floor(events / 2), limit: LIMIT } }),
  timeline: windowed("getTimeline"),
  "cost and context": windowed("getSeries"),
  attempts: windowed("listAttempts"),
  transcript: windowed("getTranscript"),
  health: windowed("getHealth"),
  remedies: windowed("listRemedies"),
  owners: windowed("listOwners"),
  steps: (client, run) => client.listSteps({ params: { run } }),
  status: (client, run) => client.getRun({ params: { run } }),
};

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const events = quick ? 10_000 : 1_000_000;
  const rounds = quick ? 3 : 15;
  const says = `\`holdfast serve\` on a SQLite store with a run of ${count(SHORT_EVENTS)} and one of ${count(events)} events, each with a snapshot that is ${String(EVENTS_SINCE_SNAPSHOT)} events old. A page of ${String(LIMIT)} events of each, over HTTP, by turns; the first page of each does not count. ${String(rounds)} rounds.`;
  if (!isBuilt()) return { says, figures: [], ratios: [], skipped: NOT_BUILT };
  const home = path.join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  const runs = { short: SHORT_EVENTS, long: events };
  for (const [id, length] of Object.entries(runs)) {
    progress(`a run of ${count(length)} events`);
    await buildRun(path.join(home, "holdfast.db"), id, length);
  }
  const server = await serveStore(home);
  try {
    progress("measuring");
    const figures: Figure[] = [];
    const ratios: Ratio[] = [];
    for (const [name, page] of Object.entries(PAGES)) {
      const [short, long] = await pageMs(server.client, page, { runs, rounds });
      figures.push({ what: `${name}, ${count(events)} events`, unit: "ms", spread: spreadOf(long) });
      ratios.push({
        what: `${name}: ${count(events)} events / ${count(SHORT_EVENTS)}`,
        spread: ratioOf(long, short),
        target: { atMost: 2 },
      });
    }
    return { says, figures, ratios };
  } finally {
    await server.end();
  }
}

interface Plan {
  readonly runs: { readonly short: number; readonly long: number };
  readonly rounds: number;
}

/** A page is over in a few milliseconds: the quicker of several is what it costs. */
const TRIES = 5;

async function pageMs(client: ApiClient, page: Page, { runs, rounds }: Plan): Promise<[number[], number[]]> {
  const times: Record<"short" | "long", number[]> = { short: [], long: [] };
  for (let round = -1; round < rounds; round += 1)
    for (const id of ["short", "long"] as const) {
      let best = Infinity;
      for (let nth = 0; nth < TRIES; nth += 1) {
        const began = performance.now();
        await page(client, id, runs[id]);
        best = Math.min(best, performance.now() - began);
      }
      if (round >= 0) times[id].push(best);
    }
  return [times.short, times.long];
}

async function buildRun(file: string, id: string, events: number): Promise<void> {
  const journal = await openSqliteJournal({ file, world });
  const writer = await RunWriter.create(journal, id);
  await writer.growTo(events - EVENTS_SINCE_SNAPSHOT, EVENTS_PER_APPEND);
  const state = JSON.stringify(await loadKnownRun(journal, id));
  await journal.saveSnapshot(id, { ...writer.end, fold: FOLD_VERSION, state });
  await writer.growTo(events, EVENTS_PER_APPEND);
  await journal.close();
}
