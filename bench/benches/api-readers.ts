import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { openSystem, type System } from "../../src/main.ts";
import { stepSchema } from "../../src/model/flow/flow.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../src/model/settings/settings.ts";
import {
  ended,
  firstLine,
  isBuilt,
  NOT_BUILT,
  processorMs,
  serveStore,
  startHoldfast,
  type MeasuredServer,
} from "../harness/api-server.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { RunWriter } from "../sides/journal-writer.ts";
import { count } from "./growth.ts";

export const apiReadersBench: Bench = { name: "api-readers", title: "Readers of the event stream", run };

const BACKLOG_EVENTS = 40_000;
const TURN_EVERY_MS = 100;
const RUN = "supervised";

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const [readers, idle] = quick ? [50, 100] : [500, 1_000];
  const [rounds, turns, idleMs] = quick ? [3, 5, 2_000] : [9, 25, 20_000];
  const says = `A supervisor (\`holdfast up\`), a server (\`holdfast serve\`) and the readers are processes of their own, on one SQLite store. Processor time of the server with ${count(idle)} readers while nothing happens, of one core. Then a turn of the supervisor: a request to a run that it supervises, from the request to its answer, one every ${String(TURN_EVERY_MS)} ms; and the delay of an event, from its time in the journal to a reader. In turns without readers, with one, with ${count(readers)}, and with ${count(readers)} of which one has begun at the start of ${count(BACKLOG_EVENTS)} events and reads nothing. ${String(rounds)} rounds of ${String(turns)} turns.`;
  if (!isBuilt() || process.platform !== "linux")
    return { says, figures: [], ratios: [], skipped: isBuilt() ? "it reads /proc" : NOT_BUILT };
  const home = path.join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  const stage = await openStage(home);
  try {
    progress(`${count(idle)} readers while nothing happens`);
    const shares: number[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round += 1)
      shares.push(await idleShare(stage.server, idle, idleMs));
    progress("turns of a supervisor");
    const seen = await inRounds(stage, { readers, rounds, turns });
    const { none, one, all, stopped } = seen;
    const ms = (values: readonly Measured[], part: "turnMs" | "delayMs") =>
      values.map((value) => value[part]);
    return {
      says,
      figures: [
        {
          what: `processor time of the server with ${count(idle)} idle readers, of one core`,
          unit: "%",
          spread: spreadOf(shares),
          target: { atMost: 1 },
        },
        { what: "a turn of the supervisor, no reader", unit: "ms", spread: spreadOf(ms(none, "turnMs")) },
        {
          what: `a turn of the supervisor, ${count(readers)} readers, one stopped`,
          unit: "ms",
          spread: spreadOf(ms(stopped, "turnMs")),
        },
        { what: "delay of an event, one reader", unit: "ms", spread: spreadOf(ms(one, "delayMs")) },
        {
          what: `delay of an event, ${count(readers)} readers`,
          unit: "ms",
          spread: spreadOf(ms(all, "delayMs")),
        },
        {
          what: `delay of an event, ${count(readers)} readers, one stopped`,
          unit: "ms",
          spread: spreadOf(ms(stopped, "delayMs")),
        },
      ],
      ratios: [
        {
          what: `turn of the supervisor: ${count(readers)} readers, one stopped / no reader`,
          spread: ratioOf(ms(stopped, "turnMs"), ms(none, "turnMs")),
          target: { atMost: 1.2 },
        },
        {
          what: `delay of the others: one of ${count(readers)} stopped / none stopped`,
          spread: ratioOf(ms(stopped, "delayMs"), ms(all, "delayMs")),
          target: { atMost: 1.2 },
        },
        {
          what: `delay: ${count(readers)} readers / one reader`,
          spread: ratioOf(ms(all, "delayMs"), ms(one, "delayMs")),
        },
      ],
    };
  } finally {
    await stage.close();
  }
}

interface Stage {
  readonly system: System;
  readonly server: MeasuredServer;
  close(): Promise<void>;
}

async function openStage(home: string): Promise<Stage> {
  const file = path.join(home, "holdfast.db");
  await writeBacklog(file);
  const system = await openSystem({ store: `sqlite:${file}`, settings: hostSettingsSchema.parse({}) });
  await createRun(system, home);
  const supervisor = startHoldfast(home, ["up", "--no-http"]);
  const server = await serveStore(home);
  while (Object.keys((await system.loadRun(RUN))?.attempts ?? {}).length === 0) await delay(100);
  return {
    system,
    server,
    async close() {
      await Promise.all([server.end(), ended(supervisor)]);
      await system.close();
    },
  };
}

/** What a reader that begins at the start has before it; as a run that has ended it is nobody's work. */
async function writeBacklog(file: string): Promise<void> {
  const journal = await openSqliteJournal({ file, world });
  const writer = await RunWriter.create(journal, "backlog");
  await writer.growTo(BACKLOG_EVENTS - 1, 2_000);
  await writer.append([{ type: "RunCompleted", data: { result: "done" } }], "completed");
  await journal.close();
}

/** Its agent says nothing: its supervisor has nothing to do but to answer. */
async function createRun(system: System, cwd: string): Promise<void> {
  const script = path.join(cwd, "hangs.json");
  writeFileSync(script, JSON.stringify({ attempts: [[{ do: "hang" }]] }));
  const { epoch } = await system.createRun({
    id: RUN,
    goal: RUN,
    flow: { name: "one", steps: [stepSchema.parse({ name: "work", task: "t", agent: "hangs" })], phases: [] },
    agents: { hangs: { use: "demo", script } },
    settings: runSettingsSchema.parse({}),
    budget: {},
    cwd,
    by: "bench",
  });
  await system.leases.release(RUN, epoch);
}

/** The share of one core that the server needs while nobody does anything, in percent. */
async function idleShare(server: MeasuredServer, readers: number, forMs: number): Promise<number> {
  const open = await openReaders(server, { readers, stopped: 0 });
  try {
    await delay(1_000);
    const [began, before] = [performance.now(), processorMs(server.pid)];
    await delay(forMs);
    return (100 * (processorMs(server.pid) - before)) / (performance.now() - began);
  } finally {
    await open.end();
  }
}

interface Readers {
  seen(): Promise<{ readonly events: number; readonly medianMs: number }>;
  end(): Promise<void>;
}

async function openReaders(
  { url, token }: MeasuredServer,
  { readers, stopped }: { readonly readers: number; readonly stopped: number },
): Promise<Readers> {
  const program = path.join(import.meta.dirname, "..", "children", "stream-readers.ts");
  const child: ChildProcess = spawn(
    process.execPath,
    [program, url, token, String(readers), String(stopped)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  await firstLine(child);
  return {
    async seen() {
      const line = firstLine(child);
      child.stdin?.write("\n");
      return JSON.parse(await line) as { events: number; medianMs: number };
    },
    end: () => ended(child),
  };
}

interface Measured {
  /** The middle one of the turns. */
  readonly turnMs: number;
  readonly delayMs: number;
}

interface Plan {
  readonly readers: number;
  readonly rounds: number;
  readonly turns: number;
}

type Way = "none" | "one" | "all" | "stopped";

async function inRounds(stage: Stage, { readers, rounds, turns }: Plan): Promise<Record<Way, Measured[]>> {
  const found: Record<Way, Measured[]> = { none: [], one: [], all: [], stopped: [] };
  const ways: Readonly<Record<Way, { readonly readers: number; readonly stopped: number }>> = {
    none: { readers: 0, stopped: 0 },
    one: { readers: 1, stopped: 0 },
    all: { readers, stopped: 0 },
    stopped: { readers, stopped: 1 },
  };
  const order = Object.keys(ways) as Way[];
  await turnsOf(stage.system, turns);
  for (let round = 0; round < rounds; round += 1)
    for (const way of round % 2 === 0 ? order : order.toReversed()) {
      const open = ways[way].readers === 0 ? null : await openReaders(stage.server, ways[way]);
      await delay(500);
      await open?.seen();
      const turnMs = await turnsOf(stage.system, turns);
      await delay(300);
      const delayMs = (await open?.seen())?.medianMs ?? 0;
      found[way].push({ turnMs, delayMs });
      await open?.end();
    }
  return found;
}

/** The middle of so many turns: each sets the budget of the run. */
async function turnsOf({ requests }: System, turns: number): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < turns; nth += 1) {
    const began = performance.now();
    const changes = [{ key: "budget.usd", value: 10 + nth }];
    const outcome = await requests.ask(RUN, { kind: "set", changes }, { by: "bench", waitMs: 10_000 });
    if (outcome.kind !== "answered") throw new Error(`a request to ${RUN} was not answered`);
    times.push(performance.now() - began);
    await delay(Math.max(0, TURN_EVERY_MS - (performance.now() - began)));
  }
  return spreadOf(times).median;
}
