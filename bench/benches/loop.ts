import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, statSync } from "node:fs";
import path from "node:path";
import type { Reopened } from "../children/reopen-loop.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { ratesOf, type RoundPlan, type Side } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { openHoldfast } from "../../src/open-holdfast.ts";
import { count } from "./growth.ts";

const LENGTHS = [100, 1_000, 5_000];
const MESSAGES_REOPENED = 8_000;
const CHILDREN = path.join(import.meta.dirname, "..", "children");
const planOf = (quick: boolean): RoundPlan =>
  quick
    ? { rounds: 3, turns: 2, perTurn: 10, budgetMs: 5_000 }
    : { rounds: 21, turns: 4, perTurn: 10, budgetMs: 60_000 };

export const loopBench: Bench = {
  name: "loop",
  title: "A loop whose state grows by 1 KB per iteration",
  run,
};

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const sides: Side[] = [];
  for (const length of LENGTHS) {
    progress(`a state of ${count(length)} messages`);
    sides.push(await grownLoop(path.join(folder, `loop-${String(length)}.db`), length));
  }
  progress("measuring");
  const rates = (await ratesOf(sides, planOf(quick))).map(({ whole }) => whole);
  for (const side of sides) await side.close();
  progress("written bytes");
  const bytes = [1_000, quick ? 2_000 : 5_000].map((iterations) => ({
    iterations,
    each: bytesEach(path.join(folder, `bytes-${String(iterations)}.db`), iterations),
  }));
  progress(`reopening ${count(MESSAGES_REOPENED)} messages after a kill`);
  const reopened = reopenings(path.join(folder, "reopen.db"), quick ? 2 : 7);
  const [small = []] = rates;
  const read = reopened.flatMap(({ bytesRead }) => (bytesRead === null ? [] : [bytesRead / 1_048_576]));
  return {
    says: `A body in SQLite whose loop adds one message of 1 KB per iteration, each committed before the next. Costs are measured side by side in runs whose state holds n messages already, ${String(small.length)} rounds; 1 means that length does not matter. Bytes are what the store has grown by, snapshots included. Then a process that holds ${count(MESSAGES_REOPENED)} messages is killed, and another goes on with the loop; loading modules does not count, memory does.`,
    figures: [
      ...LENGTHS.map((length, index) => ({
        what: `iteration at n = ${count(length)}`,
        unit: "per second" as const,
        spread: spreadOf(rates[index] ?? []),
      })),
      ...bytes.map(({ iterations, each }) => ({
        what: `store per iteration after ${count(iterations)}`,
        unit: "bytes" as const,
        spread: spreadOf([each]),
        target: { atMost: 2_048 },
      })),
      { what: "kill to first new iteration", unit: "ms", spread: spreadOf(reopened.map(({ ms }) => ms)) },
      {
        what: "reopening: peak memory of the process",
        unit: "MB",
        spread: spreadOf(reopened.map(({ peakMb }) => peakMb)),
        target: { atMost: 300 },
      },
      ...(read.length === 0
        ? []
        : [
            {
              what: "reopening: read from the store",
              unit: "MB" as const,
              spread: spreadOf(read),
              target: { atMost: 16 },
            },
          ]),
    ],
    ratios: LENGTHS.slice(1).map((length, index) => ({
      what: `cost at n = ${count(length)} / cost at n = ${count(LENGTHS[0] ?? 0)}`,
      spread: ratioOf(small, rates[index + 1] ?? []),
      ...(length === LENGTHS.at(-1) ? { target: { atMost: 1.2 } } : {}),
    })),
  };
}

/** Room to grow before the list is cut back to the length it is measured at. */
const GROWS_BY = 40;

/** A loop that stands still at a length until it is asked for more. */
export async function grownLoop(file: string, length: number): Promise<Side> {
  const hf = await openHoldfast({ store: `sqlite:${file}` });
  const text = "x".repeat(1_000);
  let turns = 1;
  let finished = (): void => undefined;
  let goOn = (): void => undefined;
  const grown = new Promise<void>((resolve) => (finished = resolve));
  hf.run("loop", (body) =>
    body.loop("kernel", { messages: [] as unknown[] }, async (state, i) => {
      if (i === 0)
        return { state: { messages: Array.from({ length }, (_, n) => ({ n, text })) }, done: false };
      turns -= 1;
      if (turns === 0) {
        finished();
        await new Promise<void>((resolve) => (goOn = resolve));
      }
      const kept =
        state.messages.length > length + GROWS_BY ? state.messages.slice(0, length) : state.messages;
      return { state: { messages: [...kept, { n: i, text }] }, done: false };
    }),
  ).catch(() => undefined);
  await grown;
  return {
    async more(times) {
      const over = new Promise<void>((resolve) => (finished = resolve));
      turns = times;
      goOn();
      await over;
    },
    close: () => hf.close(),
  };
}

function grow(file: string, iterations: number, each: number): void {
  const args = [path.join(CHILDREN, "grow-loop.ts"), file, "loop", String(iterations), String(each)];
  const { signal, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (signal !== "SIGKILL") throw new Error(`the loop was to be killed, and was not: ${stderr}`);
}

/** What was written is in the database or still in its log; opening and closing puts all of it into the database. */
function bytesEach(file: string, iterations: number): number {
  grow(file, iterations, 1);
  reopen(file);
  return statSync(file).size / iterations;
}

const reopen = (file: string): Reopened => {
  const args = [path.join(CHILDREN, "reopen-loop.ts"), file, "loop"];
  return JSON.parse(spawnSync(process.execPath, args, { encoding: "utf8" }).stdout) as Reopened;
};

function reopenings(file: string, rounds: number): Reopened[] {
  grow(file, MESSAGES_REOPENED, 1);
  return Array.from({ length: rounds }, (_, round) => {
    // Each round finds the store as the kill left it.
    const copy = `${file}-${String(round)}.db`;
    for (const suffix of ["", "-wal", "-ack"])
      if (existsSync(`${file}${suffix}`)) copyFileSync(`${file}${suffix}`, `${copy}${suffix}`);
    return reopen(copy);
  });
}
