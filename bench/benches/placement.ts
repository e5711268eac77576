import type { Journal } from "../../src/journal/journal.ts";
import { openPostgresJournal } from "../../src/journal/postgres/postgres-journal.ts";
import { realWorld } from "../../src/real-world.ts";
import { postgresMissing, startPostgres, type PostgresServer } from "../../test/postgres-server.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";

const HOSTS = 50;
const CONNECTIONS = 10;
const OWNERS = 20;
const SAYS = `What it costs a host to fetch one queued run of a shared store: it asks which placements are in the queue, takes the first offer of those that it satisfies, and gives it back. ${String(HOSTS)} hosts do so at the same time over ${String(CONNECTIONS)} connections; one run in ten needs a label that every second host has, and ${String(OWNERS)} owners take turns. Client and server share one machine.`;

export const placementBench: Bench = {
  name: "placement",
  title: "Placement of queued runs on hosts",
  run,
};

async function run({ quick, progress }: BenchContext): Promise<Findings> {
  const missing = postgresMissing();
  if (missing !== null) return { says: SAYS, figures: [], ratios: [], skipped: missing };
  const sizes = quick ? { few: 100, many: 1_000 } : { few: 100, many: 10_000 };
  const rounds = quick ? 3 : 9;
  const server = await startPostgres({ max_connections: "200" });
  try {
    const queues = { few: await queueOf(server, sizes.few), many: await queueOf(server, sizes.many) };
    const medians = { few: [] as number[], many: [] as number[] };
    for (let round = -1; round < rounds; round += 1) {
      progress(`round ${String(round + 1)} of ${String(rounds)}`);
      for (const side of ["few", "many"] as const) {
        const { median } = spreadOf(await fetchAtOnce(queues[side]));
        // One before the first does not count.
        if (round >= 0) medians[side].push(median);
      }
    }
    for (const handles of Object.values(queues)) for (const one of handles) await one.close();
    const [row] = await server.query(
      "SELECT split_part(current_setting('server_version'), ' ', 1) AS version",
    );
    return {
      says: `${SAYS} ${String(rounds)} rounds.`,
      figures: (["few", "many"] as const).map((side) => ({
        what: `one placement, ${String(sizes[side])} runs queued, median`,
        unit: "ms" as const,
        spread: spreadOf(medians[side]),
      })),
      ratios: [
        {
          what: `one placement: ${String(sizes.many)} / ${String(sizes.few)} runs queued`,
          spread: ratioOf(medians.many, medians.few),
          target: { atMost: 1.5 },
        },
      ],
      postgres: String(row?.["version"]),
    };
  } finally {
    await server.remove();
  }
}

/** A store of its own with so many queued runs, and handles on it. */
async function queueOf(server: PostgresServer, runs: number): Promise<readonly Journal[]> {
  const schema = `queue_${String(runs)}`;
  const open = (): Promise<Journal> => openPostgresJournal({ url: server.url, world: realWorld(), schema });
  const handles = [await open()];
  // As the appends of as many creators: the triggers see each row.
  await server.query(`INSERT INTO ${schema}.runs (run, status, created_at, seal, goal)
    SELECT 'run' || n, 'queued', 0, '', 'a run' FROM generate_series(1, ${String(runs)}) AS n`);
  await server.query(`SET search_path TO ${schema}; INSERT INTO events (run_key, seq, at, type, hash, data)
    SELECT run_key, 1, 0, 'RunCreated', '', json_build_object('by', 'owner' || run_key % ${String(OWNERS)}, 'cwd', '/r',
      'placement', CASE WHEN run_key % 10 = 0 THEN '{"labels":["gpu"]}'::json ELSE '{}'::json END)::text
    FROM runs ORDER BY run_key`);
  while (handles.length < CONNECTIONS) handles.push(await open());
  return handles;
}

/** How long each of the hosts took. */
async function fetchAtOnce(handles: readonly Journal[]): Promise<number[]> {
  const tookMs: number[] = [];
  const fetchOne = async (host: number): Promise<void> => {
    const offers = handles[host % handles.length]?.hosts?.offers;
    if (offers === undefined) throw new Error("hosts share a store on PostgreSQL");
    const beganMs = performance.now();
    const labelled = '{"labels":["gpu"]}';
    const asked = (await offers.asked()).filter((text) => host % 2 === 0 || text !== labelled);
    const pulled = await offers.pull({ asked, max: 1, forMs: 60_000, except: [] });
    tookMs.push(performance.now() - beganMs);
    if (pulled.length !== 1)
      throw new Error(`host ${String(host)} was offered ${String(pulled.length)} runs`);
    await offers.giveBack(pulled);
  };
  await Promise.all(Array.from({ length: HOSTS }, (_, host) => fetchOne(host)));
  return tookMs;
}
