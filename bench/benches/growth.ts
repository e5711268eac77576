import path from "node:path";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { ratesOf, type RoundPlan, type Side } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { appendAlone, RunWriter } from "../sides/journal-writer.ts";

const EVENTS_PER_APPEND = 2_000;
const sizesOf = (quick: boolean): number[] => (quick ? [1e3, 1e4, 1e5] : [1e3, 1e5, 1e6]);
const planOf = (quick: boolean): RoundPlan =>
  quick
    ? { rounds: 3, turns: 2, perTurn: 20, budgetMs: 5_000 }
    : { rounds: 21, turns: 8, perTurn: 20, budgetMs: 50_000 };

export const growthBench: Bench = { name: "growth", title: "Append to a journal that has grown", run };

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const sizes = sizesOf(quick);
  const sides: Side[] = [];
  for (const size of sizes) {
    progress(`a run of ${count(size)} events`);
    sides.push(await grownSide(path.join(folder, `growth-${String(size)}.db`), size));
  }
  progress("measuring");
  const rates = (await ratesOf(sides, planOf(quick))).map(({ whole }) => whole);
  for (const side of sides) await side.close();
  const [small = []] = rates;
  const costs = sizes.map((size, index) => ({ size, rates: rates[index] ?? [] }));
  return {
    says: `Appends of one event to SQLite stores whose only run holds n events already; ${String(small.length)} rounds. The ratio is of costs: 1 means that length does not matter.`,
    figures: costs.map((cost) => ({
      what: `append at n = ${count(cost.size)}`,
      unit: "per second",
      spread: spreadOf(cost.rates),
    })),
    ratios: costs.slice(1).map((cost) => ({
      what: `cost at n = ${count(cost.size)} / cost at n = ${count(sizes[0] ?? 0)}`,
      spread: ratioOf(small, cost.rates),
      ...(cost.size === sizes.at(-1) ? { target: { atMost: 1.2 } } : {}),
    })),
  };
}

async function grownSide(file: string, events: number): Promise<Side> {
  const journal = await openSqliteJournal({ file, world });
  const writer = await RunWriter.create(journal, "run_grown");
  await writer.growTo(events, EVENTS_PER_APPEND);
  return appendAlone(journal, writer);
}

export const count = (value: number): string => value.toLocaleString("en-US");
