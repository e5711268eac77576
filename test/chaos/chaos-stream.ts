// `npm run chaos:stream [-- EVENTS KILLS]`: a reader of the stream that is killed at random sees every event once.
// `npm run chaos:stream -- --postgres [EVENTS KILLS]`: the same on a PostgreSQL server of its own.
import { seeEachOnce } from "../api/stream/stream-once.ts";
import { postgresMissing, startPostgres } from "../postgres-server.ts";

const isPostgres = process.argv.includes("--postgres");
const numbers = process.argv.slice(2).filter((word) => word !== "--postgres");
const [events = 100_000, kills = 1_000] = numbers.map(Number);
const missing = isPostgres ? postgresMissing() : null;
if (missing !== null) {
  process.stderr.write(`${missing}\n`);
  process.exit(2);
}
const server = isPostgres ? await startPostgres() : null;
const began = performance.now();
const result = await seeEachOnce({
  ...{ events, kills, runs: 25, chance: Math.random },
  postgres: server?.url ?? null,
}).finally(() => server?.remove());
const seconds = ((performance.now() - began) / 1_000).toFixed(1);
process.stdout.write(`${JSON.stringify({ ...result, seconds })}\n`);
const isRight = result.seen === events && result.kills === kills;
if (!isRight || result.repeated + result.missing + result.outOfOrder > 0) process.exitCode = 1;
