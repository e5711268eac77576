import { setTimeout as pause } from "node:timers/promises";
import type { Journal } from "../../../src/journal/journal.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { startPostgres, type PostgresServer } from "../../postgres-server.ts";
import { all, claimed, order, said } from "../contract/scene.ts";

export interface RestartReport {
  readonly restarts: number;
  readonly acknowledged: number;
  /** The longest that any append waited for its answer. */
  readonly slowestMs: number;
  readonly hints: number;
  /** What must not be; an empty list is what is wanted. */
  readonly violations: readonly string[];
}

const CLIENTS = 3;
const RUNS_PER_CLIENT = 6;
/** A client counts as reconnected once it has appended so many more. */
const APPENDS_AFTER_RESTART = 5;
const RECONNECT_MS_MAX = 30_000;
const WORK_MS_MAX = 200;

interface Writing {
  readonly run: string;
  readonly acknowledged: string[];
  readonly violations: string[];
}

/** Kills the server with everything it runs, again and again, while several clients append as fast as they can. */
export async function restartStorm(restarts: number): Promise<RestartReport> {
  const server = await startPostgres();
  try {
    const clients = await Promise.all(
      Array.from({ length: CLIENTS }, () => openPostgresJournal({ url: server.url, world: realWorld() })),
    );
    const storm = { over: false, slowestMs: 0, hints: 0 };
    for (const client of clients) client.watch(() => (storm.hints += 1));
    const writings = clients.flatMap((journal, client) =>
      Array.from({ length: RUNS_PER_CLIENT }, (_, index) => {
        const run = `run_${String(client)}_${String(index)}`;
        const writing: Writing = { run, acknowledged: [], violations: [] };
        return { writing, done: writeUntilOver(journal, writing, storm) };
      }),
    );
    const reading = readUntilOver(clients[0], storm);
    const written = writings.map(({ writing }) => writing);
    const late = await restartOften(server, restarts, written);
    storm.over = true;
    const misread = await reading;
    await Promise.all(writings.map(({ done }) => done));
    const found = [...late, ...misread, ...(await assess(clients, written))];
    await Promise.all(clients.map((client) => client.close()));
    return {
      restarts,
      acknowledged: written.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0),
      slowestMs: Math.round(storm.slowestMs),
      hints: storm.hints,
      violations: found,
    };
  } finally {
    await server.remove();
  }
}

async function restartOften(
  server: PostgresServer,
  restarts: number,
  writings: readonly Writing[],
): Promise<string[]> {
  for (let restart = 0; ; restart += 1) {
    const late = await untilAllAppend(writings);
    if (late.length > 0)
      return late.map((run) => `${run} was not appended to after restart ${String(restart)}`);
    if (restart === restarts) return [];
    await pause(Math.random() * WORK_MS_MAX);
    await server.kill();
    await server.start();
  }
}

/** The runs to which nobody came back in time. */
async function untilAllAppend(writings: readonly Writing[]): Promise<string[]> {
  const before = writings.map(({ acknowledged }) => acknowledged.length);
  const lateMs = performance.now() + RECONNECT_MS_MAX;
  const waitedFor = (): readonly Writing[] =>
    writings.filter(
      ({ acknowledged }, index) => acknowledged.length < (before[index] ?? 0) + APPENDS_AFTER_RESTART,
    );
  while (waitedFor().length > 0 && performance.now() < lateMs) await pause(5);
  return waitedFor().map(({ run }) => run);
}

/** One append after the other. The run has no other writer, so every one of them must be appended. */
async function writeUntilOver(
  journal: Journal,
  { run, acknowledged, violations }: Writing,
  storm: { over: boolean; slowestMs: number },
): Promise<void> {
  try {
    const epoch = await claimed(journal, run, `own_${run}`);
    while (!storm.over) {
      const expected = acknowledged.length;
      const beganMs = performance.now();
      const outcome = await journal.append(
        order(run, expected, { epoch, events: [said(eventText(run, expected))] }),
      );
      storm.slowestMs = Math.max(storm.slowestMs, performance.now() - beganMs);
      if (outcome.kind !== "appended") {
        violations.push(`${run}: append at ${String(expected)} was answered ${JSON.stringify(outcome)}`);
        return;
      }
      acknowledged.push(outcome.head.hash);
    }
  } catch (error) {
    violations.push(`${run}: ${String(error)}`);
  }
}

const eventText = (run: string, expected: number): string => `${run} ${String(expected)}`;

/** Reading goes on through every restart too. */
async function readUntilOver(journal: Journal | undefined, storm: { over: boolean }): Promise<string[]> {
  try {
    for (let seen = 0; !storm.over; await pause(10)) {
      const listed = await journal?.runs();
      const sum = listed?.reduce((events, { seq }) => events + seq, 0) ?? 0;
      if (sum < seen) return [`${String(sum)} events were listed after ${String(seen)}`];
      seen = sum;
    }
    return [];
  } catch (error) {
    return [`reading failed: ${String(error)}`];
  }
}

async function assess(clients: readonly Journal[], writings: readonly Writing[]): Promise<string[]> {
  const found: string[] = [];
  for (const { run, acknowledged, violations } of writings) {
    found.push(...violations);
    const events = (await clients.at(-1)?.read(run, all)) ?? [];
    if (events.length !== acknowledged.length)
      found.push(`${run}: ${String(acknowledged.length)} acknowledged, ${String(events.length)} there`);
    const texts = events.map((event) => (event.type === "LimitReached" ? event.data.detail : event.type));
    for (const [index, hash] of acknowledged.entries()) {
      if (events[index]?.hash !== hash) found.push(`${run}: event ${String(index + 1)} is lost or another`);
      if (texts[index] !== eventText(run, index))
        found.push(`${run}: event ${String(index + 1)} is ${String(texts[index])}`);
    }
  }
  const damages = (await clients[0]?.verify()) ?? [];
  return [...found, ...damages.map((damage) => `damage: ${JSON.stringify(damage)}`)];
}
