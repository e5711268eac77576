/**
 * Good runs beside bad ones, on one supervisor: the good ones must end as if they were alone, and the supervisor must
 * live on. The same good runs are worked alone first, in the same command: what is printed is the ratio of both times.
 *
 * Usage: npm run chaos:neighbours -- [--bad 100] [--good 20] [--think 2000] [--no-time] [--kinds WORD]
 * Ends with exit 1 if a good run ended otherwise than alone, if the supervisor ended, if a session was left alive, or
 * (without --no-time) if the good ones took more than twice as long. Bounded by a limit for each part.
 */
import { parseWords } from "../../sim/people/parse-words.ts";
import { BAD_KINDS } from "./neighbours/bad-kinds.ts";
import { Neighbourhood, type GoodEnd } from "./neighbours/neighbourhood.ts";

const { values } = parseWords({
  options: {
    bad: { type: "string" },
    good: { type: "string" },
    think: { type: "string" },
    kinds: { type: "string" },
    "no-time": { type: "boolean" },
  },
});
const badCount = Number(values.bad ?? 100);
const goodCount = Number(values.good ?? 20);
const thinkMs = Number(values.think ?? 2_000);
const LIMIT_MS = 300_000;
const RATIO_MAX = 2;
/** So long all bad ones have to begin, so that they are bad when the good ones come, and not merely started with them. */
const LEAD_MS = 120_000;

const kinds = BAD_KINDS.filter(({ name }) => name.includes(values.kinds ?? ""));
const names = (what: string, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `${what}-${String(nth + 1)}`);

const middle = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const slowest = (ends: readonly GoodEnd[]): number => Math.max(0, ...ends.map(({ tookMs }) => tookMs));

const problems: string[] = [];

async function workGood(on: Neighbourhood, what: string): Promise<GoodEnd[]> {
  const runs = names(what, goodCount);
  for (const run of runs) await on.addGood(run, thinkMs);
  return on.untilEnded(runs, LIMIT_MS);
}

async function close(on: Neighbourhood, what: string): Promise<void> {
  if (!on.isSupervised) problems.push(`${what}: the supervisor has ended: ${on.said.slice(-2_000)}`);
  const left = await on.close();
  if (left.length > 0) problems.push(`${what}: sessions are left alive: ${left.join(", ")}`);
}

console.log(
  `chaos:neighbours: ${String(goodCount)} good runs alone, then beside ${String(badCount)} bad ones`,
);
const quiet = await Neighbourhood.open();
const alone = await workGood(quiet, "good-alone");
console.log(`alone: median ${String(middle(alone.map(({ tookMs }) => tookMs)))} ms`);
await close(quiet, "alone");

const loud = await Neighbourhood.open();
const badRuns = names("bad", badCount);
for (const [nth, run] of badRuns.entries()) {
  // Fewer than there are kinds are spread over all of them.
  const kind =
    kinds[badCount < kinds.length ? Math.floor((nth * kinds.length) / badCount) : nth % kinds.length];
  if (kind !== undefined) await loud.addBad(run, kind);
}
const begun = await loud.untilBegun(badRuns, LEAD_MS);
console.log(
  `${String(begun)} of ${String(badCount)} bad runs have begun: ${JSON.stringify(await loud.statuses("bad-"))}`,
);
const beside = await workGood(loud, "good-beside");
console.log(`bad runs when the good ones have ended: ${JSON.stringify(await loud.statuses("bad-"))}`);
await close(loud, "beside");

const expected = alone[0]?.story ?? [];
for (const { run, status, story } of [...alone, ...beside]) {
  if (status !== "completed") problems.push(`${run} is ${status}: ${story.slice(-3).join(" | ")}`);
  const at = story.findIndex((line, nth) => line !== expected[nth]);
  if (at !== -1 || story.length !== expected.length)
    problems.push(`${run} differs: ${story[at] ?? "shorter"} where alone it was ${expected[at] ?? "over"}`);
}
const ratio = middle(beside.map(({ tookMs }) => tookMs)) / middle(alone.map(({ tookMs }) => tookMs));
const worst = slowest(beside) / slowest(alone);
if (values["no-time"] !== true && ratio > RATIO_MAX)
  problems.push(`the good ones took ${ratio.toFixed(2)} times as long`);
// Each of them counts, and not only most: one that waits for minutes was not left alone.
const last = beside.toSorted((one, other) => other.tookMs - one.tookMs)[0];
if (values["no-time"] !== true && worst > RATIO_MAX)
  problems.push(
    `${last?.run ?? "?"} took ${worst.toFixed(2)} times as long as the slowest alone: ${last?.longest ?? ""}`,
  );
for (const problem of problems) console.error(problem.slice(0, 2_000));
console.log(
  `${String(beside.filter(({ status }) => status === "completed").length)} of ${String(goodCount)} good runs completed beside ${String(badCount)} bad ones of ${String(Math.min(kinds.length, badCount))} kinds: ` +
    `median ${(middle(beside.map(({ tookMs }) => tookMs)) / 1_000).toFixed(1)} s against ${(middle(alone.map(({ tookMs }) => tookMs)) / 1_000).toFixed(1)} s alone (${ratio.toFixed(2)} times), slowest ${worst.toFixed(2)} times; ${String(problems.length)} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
