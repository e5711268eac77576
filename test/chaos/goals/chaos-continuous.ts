// `npm run chaos:continuous`: a session of 200 goals with scripted agents that work, crash, show nothing, meet limits, ask
// people who answer late, and fail, while its process is killed at random times and boundaries. Every goal must be done
// once or ended by name. `-- --goals 30 --seed 7 --usd 12 --every 3000` plays a smaller one, with a budget that does not
// suffice, and kills more often (in milliseconds). `--kills 8` lets it go on undisturbed after so many. `--folder F` keeps
// the session there, and goes on with it where an earlier play was cut short.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseWords } from "../../../sim/people/parse-words.ts";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { drawGoals, ENDS_OF, SESSION } from "../../kill/runs/continuous-session.ts";
import { runProgram } from "../../kill/killed-process.ts";
import { sessionViolations } from "../../../sim/continuous/session-violations.ts";

const { values } = parseWords({
  options: {
    goals: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    usd: { type: "string", default: "1000" },
    every: { type: "string", default: "6000" },
    kills: { type: "string", default: "2000" },
    folder: { type: "string" },
  },
});
const [count, seed, usd, everyMs] = [values.goals, values.seed, values.usd, values.every].map(Number) as [
  number,
  number,
  number,
  number,
];
const PROGRAM = path.join(import.meta.dirname, "../../kill/runs/continuous-session.ts");
const POINTS = ["append.before", "append.after", "create.before", "create.after", "ask.before", "ask.after"];
const killsMax = Number(values.kills);
const LIMIT_MS = 600_000;

const chance = seededChance(seed + 1);
const folder = values.folder ?? mkdtempSync(path.join(tmpdir(), "holdfast-continuous-"));
mkdirSync(folder, { recursive: true });

/** One life: to its end, or to a boundary or an instant at which it is killed. */
function live(isKilled: boolean) {
  const point = `continuous.${POINTS[Math.floor(chance() * POINTS.length)] ?? ""}#${String(1 + Math.floor(chance() * 6))}`;
  const isAtPoint = chance() < 0.5;
  const instant = 500 + chance() * everyMs;
  return runProgram(PROGRAM, [folder, String(count), String(seed), String(usd)], {
    limitMs: LIMIT_MS,
    ...(!isKilled ? {} : isAtPoint ? { env: { HOLDFAST_CRASH_AT: point } } : { killAfterMs: instant }),
  });
}

let kills = 0;
for (;;) {
  const isKilled = kills < killsMax;
  const ended = await live(isKilled);
  if (ended.code === 0) break;
  if (ended.signal !== "SIGKILL" || !isKilled) {
    console.error(`the session does not end: ${String(ended.code)} ${ended.output}`);
    process.exit(1);
  }
  kills += 1;
}
const goals = drawGoals(count, seed);
const journal = await openSqliteJournal({ file: path.join(folder, "journal.db"), world: realWorld() });
const { state, found } = await sessionViolations(journal, SESSION, goals);
await journal.close();
const isWhole = state.end?.kind === "idle";
for (const { id, agent = "" } of goals) {
  const end = state.goals[id]?.end?.kind;
  const isLeft = !isWhole && end === undefined && state.end?.left.includes(id) === true;
  if (!isLeft && !(ENDS_OF[agent] ?? []).includes(end ?? "")) found.push(`${id} (${agent}): ${String(end)}`);
}
const ends = Object.values(state.goals).map(({ end }) => end?.kind ?? "left");
const counts = [...new Set(ends)].map((end) => `${String(ends.filter((one) => one === end).length)} ${end}`);
console.log(
  `${String(count)} goals, seed ${String(seed)}: ${state.end?.kind ?? "no end"}; ${counts.join(", ")}; ${String(kills)} kills; ${String(found.length)} violations`,
);
for (const text of found.slice(0, 20)) console.error(text);
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
process.exit(found.length === 0 ? 0 : 1);
