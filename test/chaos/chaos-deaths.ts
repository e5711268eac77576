import { startPostgres } from "../postgres-server.ts";
import { admitCables, noCables } from "../cli/fleet/cable.ts";
import { comeBack, DEATHS, trial, twoHosts, type Death, type Trial } from "../cli/fleet/death-trials.ts";
import { noHosts } from "../cli/fleet/fleet-hosts.ts";

/**
 * `npm run chaos:deaths -- [TRIALS] [DEATH…]`: lets a host die in each way so often, and prints how soon its agent was
 * frozen and its run taken, median and worst. Fails if an agent ever worked while another host had its run.
 */
const LEASE_MS = 10_000;

const skip = noHosts() || noCables();
if (skip !== false) throw new Error(skip);
const [trials = "100", ...named] = process.argv.slice(2);
const deaths = named.length === 0 ? DEATHS : DEATHS.filter((death) => named.includes(death));

const server = await startPostgres({ listen_addresses: "*" });
await admitCables(server);
const watched = await twoHosts(server.url, "work", LEASE_MS);
try {
  for (const death of deaths) report(death, await trialsOf(death, Number(trials)));
} finally {
  await watched.fleet.close();
  await server.remove();
}

async function trialsOf(death: Death, count: number): Promise<readonly Trial[]> {
  const done: Trial[] = [];
  for (let number = 0; number < count; number += 1) {
    done.push(await trial(death, watched));
    await comeBack(watched, death);
  }
  return done;
}

function report(death: Death, trials: readonly Trial[]): void {
  const frozen = trials.flatMap(({ frozenMs }) => frozenMs ?? []);
  const doubles = trials.filter(({ wasDouble }) => wasDouble).length;
  const moved = trials.filter(({ claimedBy }) => claimedBy !== "one").length;
  console.log(
    `${death}: ${String(trials.length)} trials; run claimed ${spread(trials.map(({ claimedMs }) => claimedMs))}, ` +
      `by another host in ${String(moved)}; agent frozen in ${String(frozen.length)}, ${spread(frozen)}; ` +
      `at work beside the new owner in ${String(doubles)}`,
  );
  if (doubles > 0) process.exitCode = 1;
}

function spread(all: readonly number[]): string {
  const sorted = [...all].sort((a, b) => a - b);
  const [median, worst] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return median === undefined ? "never" : `after ${String(median)} ms (median), ${String(worst)} ms (worst)`;
}
