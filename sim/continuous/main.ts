/**
 * `npm run sim:continuous -- [--seeds 2000] [--from 1]`: plays continuous sessions whose process dies at boundaries, and
 * prints what it found. Exit 1 if a seed broke a rule; the seed alone repeats it.
 */
import { parseWords } from "../people/parse-words.ts";
import { sessionViolations } from "./session-violations.ts";
import { playSession, SIM_SESSION } from "./play-session.ts";

const { values } = parseWords({ options: { seeds: { type: "string" }, from: { type: "string" } } });
const [seeds, from] = [Number(values.seeds ?? 2_000), Number(values.from ?? 1)];
if (!Number.isInteger(seeds) || !Number.isInteger(from)) {
  console.error("usage: npm run sim:continuous -- [--seeds N] [--from S]");
  process.exit(2);
}

const TOLD_EVERY = 100;
let [bad, deaths, goals, digests] = [0, 0, 0, 0];
const ends = new Map<string, number>();
for (let seed = from; seed < from + seeds; seed += 1) {
  const played = await playSession(seed);
  const { found, state } = await sessionViolations(
    played.journal,
    SIM_SESSION,
    played.goals,
    played.requestUsd,
  );
  const all = [...played.problems, ...found];
  deaths += played.deaths;
  digests += played.digests;
  goals += played.goals.length;
  const end = state.end?.kind ?? "no end";
  ends.set(end, (ends.get(end) ?? 0) + 1);
  // A play that is cut short is gone on with from here.
  if ((seed - from + 1) % TOLD_EVERY === 0)
    console.error(`seed ${String(seed)}: ${String(bad)} with violations, ${String(deaths)} deaths`);
  if (all.length === 0) continue;
  bad += 1;
  console.log(`seed ${String(seed)}: ${all.slice(0, 5).join("\n  ")}`);
}
const endsText = [...ends].map(([end, count]) => `${String(count)} ${end}`).join(", ");
console.log(
  `${String(seeds)} seeds from ${String(from)}: ${String(bad)} with violations; ${String(goals)} goals, ${String(deaths)} deaths, ${String(digests)} digests; ${endsText}`,
);
process.exitCode = bad === 0 ? 0 : 1;
