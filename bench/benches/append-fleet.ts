import { postgresMissing, startPostgres } from "../../test/postgres-server.ts";
import type { Bench, BenchContext, Figure, Findings, Ratio } from "../harness/bench.ts";
import { startAppenders, type Appenders } from "../harness/side-by-side.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";

const PROCESSES = [1, 4, 16];
const SAYS =
  "Processes that append at the same time, each to a run of its own, one event after the other, as hosts of a fleet do; beside them as many processes that insert one row each time into one plain table, on the same server with its default settings (fsync on). The sides take turns; clients and server share one machine.";

export const appendFleetBench: Bench = {
  name: "append-fleet",
  title: "Append on PostgreSQL from many processes",
  run,
};

interface Measured {
  readonly rates: number[];
  readonly medians: number[];
}

async function run({ quick, progress }: BenchContext): Promise<Findings> {
  const missing = postgresMissing();
  if (missing !== null) return { says: SAYS, figures: [], ratios: [], skipped: missing };
  const server = await startPostgres({ max_connections: "200" });
  const plan = quick ? { rounds: 3, forMs: 500 } : { rounds: 9, forMs: 1_500 };
  const found: { readonly figures: Figure[]; readonly ratios: Ratio[] } = { figures: [], ratios: [] };
  try {
    for (const processes of PROCESSES) {
      progress(`${String(processes)} processes, ${String(plan.rounds)} rounds`);
      const sides = [];
      for (const side of ["plain", "journal"] as const)
        sides.push(await startAppenders(side, server.url, processes));
      const [plain, journal] = await inTurns(sides, plan);
      for (const side of sides) await side.close();
      if (plain !== undefined && journal !== undefined) report(found, processes, { plain, journal });
    }
    const [row] = await server.query(
      "SELECT split_part(current_setting('server_version'), ' ', 1) AS version",
    );
    return { says: `${SAYS} ${String(plan.rounds)} rounds.`, ...found, postgres: String(row?.["version"]) };
  } finally {
    await server.remove();
  }
}

/** One round before the first does not count. */
async function inTurns(
  sides: readonly Appenders[],
  { rounds, forMs }: { readonly rounds: number; readonly forMs: number },
): Promise<Measured[]> {
  const measured = sides.map((): Measured => ({ rates: [], medians: [] }));
  for (let round = -1; round < rounds; round += 1)
    for (const index of round % 2 === 0 ? sides.keys() : [...sides.keys()].reverse()) {
      const tookMs = (await sides[index]?.appendFor(forMs)) ?? [];
      if (round < 0) continue;
      measured[index]?.rates.push(tookMs.length / (forMs / 1_000));
      measured[index]?.medians.push(spreadOf(tookMs).median);
    }
  return measured;
}

function report(
  { figures, ratios }: { readonly figures: Figure[]; readonly ratios: Ratio[] },
  processes: number,
  { plain, journal }: { readonly plain: Measured; readonly journal: Measured },
): void {
  const of = processes === 1 ? "1 process" : `${String(processes)} processes`;
  for (const [what, side] of [
    ["plain inserts", plain],
    ["appends", journal],
  ] as const) {
    figures.push({ what: `${of}: ${what}`, unit: "per second", spread: spreadOf(side.rates) });
    figures.push({ what: `${of}: ${what}, median latency`, unit: "ms", spread: spreadOf(side.medians) });
  }
  ratios.push({
    what: `${of}: appends / plain inserts`,
    spread: ratioOf(journal.rates, plain.rates),
    target: { atLeast: 0.6 },
  });
  ratios.push({
    what: `${of}: median latency of an append / of a plain insert`,
    spread: ratioOf(journal.medians, plain.medians),
    ...(processes === 16 ? { target: { atMost: 2 } } : {}),
  });
}
