/**
 * `npm run chaos:body -- --kills N [--seed S]`: a body of 1,000 steps, 20 children and a loop of 200 iterations is killed
 * at random instants until N kills have struck; each time it must end as if nothing had happened.
 */
import { parseWords } from "../../sim/people/parse-words.ts";
import { seededChance } from "../../sim/world/seeded-chance.ts";
import { KilledProgram, type Scale } from "../loop/life/program-kills.ts";

const SCALE: Scale = { steps: 1_000, children: 20, iterations: 200 };
/** A life gets so far at most before it is killed by a crash point. */
const APPENDS_MAX = 12;
const LIFE_MS_MAX = 1_500;

const { values } = parseWords({
  options: { kills: { type: "string", default: "500" }, seed: { type: "string", default: "1" } },
});
const wanted = Number(values.kills);
const chance = seededChance(Number(values.seed));

/** At a durable boundary, or anywhere. */
function randomDeath(): { env: Record<string, string>; killAfterMs?: number } {
  if (chance() < 0.3) return { env: {}, killAfterMs: 150 + Math.floor(chance() * LIFE_MS_MAX) };
  const where = chance() < 0.5 ? "before" : "after";
  const point =
    chance() < 0.1
      ? `loop.once.${where}#1`
      : `journal.append.${where}#${String(1 + Math.floor(chance() * APPENDS_MAX))}`;
  return { env: { HOLDFAST_CRASH_AT: point } };
}

const calm = new KilledProgram(SCALE);
await calm.live();
const undisturbed = calm.result;
calm.close();

let kills = 0;
let workflows = 0;
let again = 0;
const bad: string[] = [];
while (kills < wanted && bad.length === 0) {
  const body = new KilledProgram(SCALE);
  while (kills + body.kills < wanted && !body.isDone && body.found.length === 0) {
    const { env, killAfterMs } = randomDeath();
    await body.live(env, killAfterMs);
    if (body.kills % 25 === 0) process.stdout.write(`${String(kills + body.kills)} kills\n`);
  }
  if (!body.isDone) await body.live();
  bad.push(...(await body.judge(undisturbed)));
  kills += body.kills;
  again += body.again;
  workflows += 1;
  body.close();
}
process.stdout.write(
  `${String(kills)} kills of ${String(workflows)} bodies; ${String(again)} steps carried out again that were not committed; ${String(bad.length)} violations\n${bad.slice(0, 20).join("\n")}\n`,
);
if (bad.length > 0) process.exitCode = 1;
