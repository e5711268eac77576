// `npm run chaos:missions`: a mission over five repositories whose coordinator is killed at every passage of every boundary
// of its own, once per life, and then at random instants. Each end must be that of an undisturbed mission.
// `-- --every 4 --random 10` strikes every fourth passage, and at so many random instants. Each strike prints a line with
// its place; a play that was cut short goes on with `--from PLACE`. `--only 12` ends after so many strikes, and says from
// where to go on. `--limit 600` is how many seconds one life may take before it counts as hanging.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseWords } from "../../../sim/people/parse-words.ts";
import { runProgram, type Ended, type ProgramOptions } from "../../kill/killed-process.ts";
import { missionEndViolations } from "../../kill/runs/mission-end.ts";
import { endFolder } from "./end-folder.ts";

const { values } = parseWords({
  options: {
    every: { type: "string", default: "1" },
    random: { type: "string", default: "20" },
    from: { type: "string", default: "1" },
    only: { type: "string", default: "100000" },
    limit: { type: "string", default: "600" },
  },
});
const [every, random, from, only] = [values.every, values.random, values.from, values.only].map(Number) as [
  number,
  number,
  number,
  number,
];
const PROGRAM = path.join(import.meta.dirname, "../../kill/runs/mission.ts");
const LIMIT_MS = Number(values.limit) * 1_000;
const INSTANT_MAX_MS = 20_000;

const live = (folder: string, options: ProgramOptions): Promise<Ended> =>
  runProgram(PROGRAM, [folder], { limitMs: LIMIT_MS, ...options });

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-missions-"));
  try {
    return await work(folder);
  } finally {
    // What a life has left behind would otherwise be there for all that come after it.
    endFolder(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Every passage of a boundary of missions in an undisturbed life, as `name#n`. */
const passages = (): Promise<string[]> =>
  inFolder(async (folder) => {
    const trace = path.join(folder, "trace");
    const ended = await live(folder, { env: { HOLDFAST_CRASH_TRACE: trace } });
    const found = await missionEndViolations(folder);
    if (ended.code !== 0 || found.length > 0)
      throw new Error(
        `undisturbed: ${String(ended.code ?? ended.signal)} ${ended.output}${found.join("; ")}`,
      );
    const seen = new Map<string, number>();
    return readFileSync(trace, "utf8")
      .split("\n")
      .filter((name) => name.startsWith("mission."))
      .map((name) => {
        seen.set(name, (seen.get(name) ?? 0) + 1);
        return `${name}#${String(seen.get(name))}`;
      });
  });

interface Strike {
  readonly name: string;
  readonly options: ProgramOptions;
}

let [kills, bad] = [0, 0];

/** One life that is killed, and the next that goes on; answers what is wrong with the end. */
const strike = ({ options }: Strike): Promise<string[]> =>
  inFolder(async (folder) => {
    const killed = await live(folder, options);
    if (killed.signal === "SIGKILL") kills += 1;
    const again = await live(folder, {});
    const ended = `the next start ended with ${String(again.code ?? again.signal)}: ${again.output}`;
    return [...(again.code === 0 ? [] : [ended]), ...(await missionEndViolations(folder))];
  });

const atPoint = (point: string): Strike => ({ name: point, options: { env: { HOLDFAST_CRASH_AT: point } } });

function atInstant(): Strike {
  const killAfterMs = Math.round(500 + Math.random() * INSTANT_MAX_MS);
  return { name: `after ${String(killAfterMs)} ms`, options: { killAfterMs } };
}

const points = (await passages()).filter((_, at) => at % every === 0);
const all = [...points.map(atPoint), ...Array.from({ length: random }, atInstant)];
const played = all.slice(from - 1, from - 1 + only);
for (const [at, one] of played.entries()) {
  const begun = Date.now();
  const found = await strike(one);
  if (found.length > 0) bad += 1;
  const place = `${String(from + at)} of ${String(all.length)}`;
  const seconds = String(Math.round((Date.now() - begun) / 1_000));
  console.log(`${place}: ${one.name}: ${found.length === 0 ? "as undisturbed" : "VIOLATED"} (${seconds} s)`);
  for (const text of found) console.error(`${one.name}: ${text}`);
}
const next = from + played.length;
if (next <= all.length) console.log(`go on with --from ${String(next)}`);
console.log(
  `${String(points.length)} boundaries and ${String(random)} instants, ${String(played.length)} struck from ${String(from)}: ${String(kills)} kills, ${String(bad)} with violations`,
);
process.exitCode = bad === 0 ? 0 : 1;
