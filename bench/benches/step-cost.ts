import path from "node:path";
import { openHoldfast } from "../../src/open-holdfast.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { computedMs, NO_RATES, ratesOf, type RoundPlan, type Side } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { bareSqlite } from "../sides/bare-sqlite.ts";
import { grownLoop } from "./loop.ts";

const LENGTH = 5_000;
const planOf = (quick: boolean): RoundPlan =>
  quick
    ? { rounds: 3, turns: 2, perTurn: 10, budgetMs: 5_000 }
    : { rounds: 21, turns: 4, perTurn: 100, budgetMs: 60_000 };

export const stepCostBench: Bench = { name: "step-cost", title: "Computing per durable step", run };

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const plan = planOf(quick);
  progress(`a step, and a list of ${String(LENGTH)} messages`);
  const sides = [
    bareSqlite(path.join(folder, "bare.db")),
    await steps(path.join(folder, "steps.db")),
    await grownLoop(path.join(folder, "loop.db"), quick ? 100 : LENGTH),
  ];
  const [bare = NO_RATES, step = NO_RATES, iteration = NO_RATES] = await ratesOf(sides, plan, computedMs);
  for (const side of sides) await side.close();
  return {
    says: `Time of the processor, the kernel's included, and not of the clock: what a neighbour or a slow disk adds to it is little. A step of a body that does nothing and gives 200 bytes; an iteration of a loop that adds a message of a kilobyte to ${String(LENGTH)}; beside them one \`node:sqlite\` insert per transaction (WAL, synchronous=FULL). All are on disk before the next begins. ${String(step.whole.length)} rounds.`,
    figures: [
      { what: "bare node:sqlite insert", unit: "per second", spread: spreadOf(bare.whole) },
      { what: "durable step", unit: "per second", spread: spreadOf(step.whole) },
      { what: "iteration of a growing list", unit: "per second", spread: spreadOf(iteration.whole) },
    ],
    ratios: [
      { what: "computing of a step / of a bare insert", spread: ratioOf(bare.whole, step.whole) },
      {
        what: "the same, cheapest turn of a round",
        spread: ratioOf(bare.best, step.best),
      },
      { what: "computing of an iteration / of a bare insert", spread: ratioOf(bare.whole, iteration.whole) },
      {
        what: "the same, cheapest turn of a round",
        spread: ratioOf(bare.best, iteration.best),
      },
    ],
  };
}

const RESULT = { text: "r".repeat(185), n: 0 };

/** A body that does as many steps as it is asked for, and waits. */
async function steps(file: string): Promise<Side> {
  const hf = await openHoldfast({ store: `sqlite:${file}` });
  let left = 0;
  let finished = (): void => undefined;
  let goOn = (): void => undefined;
  const begun = new Promise<void>((resolve) => (finished = resolve));
  hf.run("steps", async (body) => {
    for (let i = 0; ; i += 1) {
      if (left === 0) {
        finished();
        await new Promise<void>((resolve) => (goOn = resolve));
      }
      left -= 1;
      await body.step(`s${String(i)}`, () => RESULT);
    }
  }).catch(() => undefined);
  await begun;
  return {
    async more(times) {
      const over = new Promise<void>((resolve) => (finished = resolve));
      left = times;
      goOn();
      await over;
    },
    close: () => hf.close(),
  };
}
