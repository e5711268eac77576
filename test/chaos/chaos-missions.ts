// `npm run chaos:missions`: a mission over five repositories whose coordinator is killed at every passage of every boundary
// of its own, once per life, and then at random instants. Each end must be that of an undisturbed mission.
// `-- --every 4 --random 10` strikes every fourth passage, and at so many random instants.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseWords } from "../../sim/people/parse-words.ts";
import { runProgram, type Ended, type ProgramOptions } from "../kill/killed-process.ts";
import { missionEndViolations } from "../kill/runs/mission-end.ts";

const { values } = parseWords({
  options: { every: { type: "string", default: "1" }, random: { type: "string", default: "20" } },
});
const [every, random] = [Number(values.every), Number(values.random)];
const PROGRAM = path.join(import.meta.dirname, "../kill/runs/mission.ts");
const LIMIT_MS = 1_800_000;
const INSTANT_MAX_MS = 20_000;

const live = (folder: string, options: ProgramOptions): Promise<Ended> =>
  runProgram(PROGRAM, [folder], { limitMs: LIMIT_MS, ...options });

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-missions-"));
  try {
    return await work(folder);
  } finally {
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
      throw new Error(`undisturbed: ${ended.output}${found.join("; ")}`);
    const seen = new Map<string, number>();
    return readFileSync(trace, "utf8")
      .split("\n")
      .filter((name) => name.startsWith("mission."))
      .map((name) => {
        seen.set(name, (seen.get(name) ?? 0) + 1);
        return `${name}#${String(seen.get(name))}`;
      });
  });

let [kills, bad] = [0, 0];

/** One life that is killed, and the next that goes on. */
const strike = (name: string, options: ProgramOptions): Promise<void> =>
  inFolder(async (folder) => {
    const killed = await live(folder, options);
    if (killed.signal === "SIGKILL") kills += 1;
    const again = await live(folder, {});
    const found = [
      ...(again.code === 0
        ? []
        : [`the next start ended with ${String(again.code ?? again.signal)}: ${again.output}`]),
      ...(await missionEndViolations(folder)),
    ];
    if (found.length > 0) bad += 1;
    for (const text of found) console.error(`${name}: ${text}`);
  });

const points = (await passages()).filter((_, at) => at % every === 0);
for (const point of points) await strike(point, { env: { HOLDFAST_CRASH_AT: point } });
for (let at = 0; at < random; at += 1) {
  const killAfterMs = Math.round(500 + Math.random() * INSTANT_MAX_MS);
  await strike(`after ${String(killAfterMs)} ms`, { killAfterMs });
}
console.log(
  `${String(points.length)} boundaries and ${String(random)} instants: ${String(kills)} kills, ${String(bad)} with violations`,
);
process.exitCode = bad === 0 ? 0 : 1;
