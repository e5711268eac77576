import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { holdfastClient, type ApiClient } from "../../../src/api/client/client.ts";
import { startApi, type RunningApi } from "../../../src/api/server/start-api.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { readFileSync } from "node:fs";

/** A store that is written to and served by this process, with nothing behind it but its journal. */
export interface StreamStage {
  readonly journal: Journal;
  readonly client: ApiClient;
  readonly api: RunningApi;
  readonly url: string;
  readonly folder: string;
  readonly token: string;
  /** Appends so many events to a run, at once. */
  append(run: string, count: number): Promise<void>;
  close(): Promise<void>;
}

export async function streamStage(postgres: string | null = null): Promise<StreamStage> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-stream-"));
  const world = realWorld();
  const journal =
    postgres === null
      ? await openSqliteJournal({ file: path.join(folder, "runs.db"), world })
      : await openPostgresJournal({ url: postgres, world });
  const owner = { id: world.id("own"), process: world.self };
  const heads = new Map<string, { seq: number; epoch: number }>();
  const nobody = () => Promise.reject(new Error("no command is performed here"));
  const api = await startApi({
    ...{ host: "127.0.0.1", port: 0, isNamed: true, tls: null, behindProxy: null },
    ...{
      webFolder: "no-such-folder",
      stateFolder: folder,
      owner: "tester",
      mark: "",
      version: "0",
      now: () => Date.now(),
      note: (text) => process.stderr.write(`${text}\n`),
    },
    agentBehind: () => Promise.resolve(null),
    crashPoint: () => undefined,
    operations: {
      perform: nobody,
      ...{ exportLines: nobody, screenOf: nobody, fileDiffs: nobody },
      watchEntries: async () => [],
      loadSharedResources: async () => [],
      store: null,
      troubled: async () => [],
      record: nobody,
      openTerminal: () => {
        throw new Error("no terminal is shown here");
      },
      journal,
      loadRun: () => Promise.resolve(null),
      findRun: (text) => Promise.resolve(text),
    },
  });
  const token = readFileSync(api.tokenFile, "utf8");
  return {
    journal,
    api,
    url: api.url,
    folder,
    token,
    client: holdfastClient({ url: api.url, token }),
    async append(run, count) {
      let at = heads.get(run);
      if (at === undefined) {
        const claim = await journal.claim(run, owner);
        assert.ok(claim.kind === "claimed");
        at = { seq: 0, epoch: claim.epoch };
        heads.set(run, at);
      }
      const outcome = await journal.append({
        run,
        expected: at.seq,
        epoch: at.epoch,
        at: Date.now(),
        events: Array.from({ length: count }, (_, n) => ({
          type: "StepReset",
          data: { step: `s${String(n)}` },
        })),
        listing: { status: "running", goal: "stream", wakeAt: null },
      });
      assert.ok(outcome.kind === "appended");
      at.seq += count;
    },
    async close() {
      await api.close();
      await journal.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface OnceResult {
  readonly seen: number;
  readonly kills: number;
  readonly repeated: number;
  readonly missing: number;
  readonly outOfOrder: number;
}

/** After how many events it is cut off: as often as was asked for, anywhere. */
function placesOf({
  events,
  kills,
  chance,
}: {
  events: number;
  kills: number;
  chance: () => number;
}): number[] {
  const places = new Set<number>();
  while (places.size < Math.min(kills, events - 1)) places.add(1 + Math.floor(chance() * (events - 1)));
  return [...places].sort((a, b) => a - b);
}

/** A reader that is cut off at random places, and goes on each time with nothing but its last cursor. */
export async function seeEachOnce(wish: {
  events: number;
  kills: number;
  runs: number;
  chance: () => number;
  /** The address of a server; without one the store is a file. */
  postgres?: string | null;
}): Promise<OnceResult> {
  const { events, runs, chance, postgres = null } = wish;
  const stage = await streamStage(postgres);
  const places = placesOf(wish);
  const last = new Map<string, number>();
  let [seen, killed, repeated, outOfOrder] = [0, 0, 0, 0];
  let cursor: string | undefined;
  const write = async (): Promise<void> => {
    for (let written = 0; written < events;) {
      const count = Math.min(1 + Math.floor(chance() * 40), events - written);
      await stage.append(`run-${String(Math.floor(chance() * runs))}`, count);
      written += count;
      // The reader is not far behind, so that it is cut off while events come as well as while it catches up.
      while (written - seen > events / 20 + 500) await turn();
    }
  };
  const read = async (): Promise<void> => {
    while (seen < events) {
      const over = new AbortController();
      const until = places[killed] ?? events;
      const after = cursor === undefined ? {} : { after: cursor };
      for await (const event of stage.client.stream({ ...after, from: "start", signal: over.signal })) {
        const before = last.get(event.run) ?? 0;
        if (event.seq <= before) repeated += 1;
        else if (event.seq !== before + 1) outOfOrder += 1;
        last.set(event.run, event.seq);
        cursor = event.cursor;
        seen += 1;
        if (seen >= until) break;
      }
      over.abort();
      if (seen < events) killed += 1;
    }
  };
  try {
    await Promise.all([write(), read()]);
    const total = [...last.values()].reduce((sum, seq) => sum + seq, 0);
    return { seen, kills: killed, repeated, missing: events - total, outOfOrder };
  } finally {
    await stage.close();
  }
}
