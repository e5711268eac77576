import { openPostgresJournal } from "../../src/journal/postgres/postgres-journal.ts";
import { postgresMissing, startPostgres } from "../../test/postgres-server.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { NO_RATES, ratesOf, type Side } from "../harness/rounds.ts";
import { barePostgres } from "../sides/bare-postgres.ts";
import { appendAlone, appendTogether, RunWriter } from "../sides/journal-writer.ts";
import { appendFigures, appendPlan, appendRatios, CONCURRENT_RUNS, roundsText } from "./append-sides.ts";

const BARE = "bare insert, one connection";
const SAYS =
  "The same on PostgreSQL, on a server of its own with its default settings (fsync on), reached over the loopback. The bare side is one prepared insert per transaction over one connection.";

export const appendPostgresBench: Bench = { name: "append-postgres", title: "Append on PostgreSQL", run };

async function run({ quick, progress }: BenchContext): Promise<Findings> {
  const missing = postgresMissing();
  if (missing !== null) return { says: SAYS, figures: [], ratios: [], skipped: missing };
  progress("starting a server");
  const server = await startPostgres();
  try {
    const plan = appendPlan(quick);
    const sides = await openSides(server.url);
    progress(`up to ${String(plan.rounds)} rounds of ${String(sides.length)} sides`);
    const [bare = NO_RATES, alone = NO_RATES, together = NO_RATES] = await ratesOf(sides, plan);
    for (const side of sides) await side.close();
    const rates = { bare, alone, together };
    const [row] = await server.query(
      "SELECT split_part(current_setting('server_version'), ' ', 1) AS version",
    );
    return {
      says: `${SAYS} ${roundsText(alone)}`,
      figures: appendFigures(BARE, rates),
      ratios: appendRatios(BARE, rates, { togetherAtLeast: 5 }),
      postgres: String(row?.["version"]),
    };
  } finally {
    await server.remove();
  }
}

async function openSides(url: string): Promise<Side[]> {
  const open = (schema: string) => openPostgresJournal({ url, schema, world });
  const one = await open("one");
  return [
    await barePostgres(url),
    appendAlone(one, await RunWriter.create(one, "run_alone")),
    await appendTogether(await open("many"), CONCURRENT_RUNS),
  ];
}
