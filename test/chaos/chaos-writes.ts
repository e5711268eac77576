// `npm run chaos:writes [-- ROUNDS]`: a server that is killed in every write, at every point and at random instants.
import { killWrites, type Killed } from "../api/writes/kill-writes.ts";
import { keptRoutes } from "../api/writes/write-cases.ts";

const [rounds = 5] = process.argv.slice(2).map(Number);
const POINTS = ["begun", "done", "kept"] as const;
/** Longer than all but the slowest of them take. */
const RANDOM_MS_MAX = 120;

const plans: Killed[][] = POINTS.map((at) => keptRoutes.map((route) => ({ route, at })));
for (let round = 0; round < rounds; round += 1)
  plans.push(keptRoutes.map((route) => ({ route, at: Math.random() * RANDOM_MS_MAX })));
const total = { kills: 0, replayed: 0, wrong: [] as string[] };
for (const plan of plans) {
  const { kills, replayed, wrong } = await killWrites(plan);
  total.kills += kills;
  total.replayed += replayed;
  total.wrong.push(...wrong);
  for (const problem of wrong) process.stderr.write(`${problem}\n`);
}
process.stdout.write(`${JSON.stringify({ ...total, wrong: total.wrong.length })}\n`);
if (total.wrong.length > 0) process.exitCode = 1;
