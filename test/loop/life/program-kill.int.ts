import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { ofTheDay, PLAY_WHOLE, printSample } from "../../day-sample.ts";
import { KilledProgram, type Scale } from "./program-kills.ts";

const KILLS = PLAY_WHOLE ? 30 : 12;
const BODIES_MAX = 8;
const SCALE: Scale = { steps: 60, children: 6, iterations: 20 };

/** Mostly small advances at durable boundaries; now and then around a step that must happen once, or from outside. */
function deathOf(life: number, chance: () => number): { env: Record<string, string>; killAfterMs?: number } {
  const where = chance() < 0.5 ? "before" : "after";
  if (life % 10 === 9) return { env: {}, killAfterMs: 400 + Math.floor(chance() * 400) };
  if (life % 5 === 3) return { env: { HOLDFAST_CRASH_AT: `loop.once.${where}#1` } };
  return {
    env: { HOLDFAST_CRASH_AT: `journal.append.${where}#${String(2 + Math.floor(chance() * 5))}` },
  };
}

async function undisturbed(scale: Scale): Promise<string> {
  const calm = new KilledProgram(scale);
  try {
    const ended = await calm.live();
    assert.equal(ended.code, 0, ended.output);
    return calm.result;
  } finally {
    calm.close();
  }
}

test("J5 J6 a workflow function killed again and again ends with the result of an undisturbed one, and no committed step runs twice", async (t) => {
  const calm = await undisturbed(SCALE);
  const chance = seededChance(20_261_115);
  let kills = 0;
  let again = 0;
  // One that comes to its end early is followed by another.
  for (let nth = 0; nth < BODIES_MAX && kills < KILLS; nth += 1) {
    const workflow = new KilledProgram(SCALE);
    try {
      for (let life = 0; life < KILLS * 2 && kills + workflow.kills < KILLS && !workflow.isDone; life += 1) {
        const { env, killAfterMs } = deathOf(life, chance);
        await workflow.live(env, killAfterMs);
      }
      if (!workflow.isDone) await workflow.live();
      assert.deepEqual(await workflow.judge(calm), []);
      kills += workflow.kills;
      again += workflow.again;
    } finally {
      workflow.close();
    }
  }
  t.diagnostic(`${String(kills)} kills, ${String(again)} uncommitted steps carried out again`);
  assert.ok(kills >= KILLS, `only ${String(kills)} kills struck`);
});

/** The smallest workflow function that passes every kind of boundary. */
const SMALL: Scale = { steps: 30, children: 2, iterations: 2 };
const AT_ONCE = 3;
/** Between the first and the last of a kind, so many are killed at. */
const OF_A_KIND_MAX = 14;

/** Every crash point that the small workflow function passes; of a kind that comes often, some evenly over its life. */
async function boundaries(): Promise<string[]> {
  const traced = new KilledProgram(SMALL);
  try {
    const trace = join(traced.folder, "trace");
    const ended = await traced.live({ HOLDFAST_CRASH_TRACE: trace });
    assert.equal(ended.code, 0, ended.output);
    const counts = new Map<string, number>();
    for (const name of readFileSync(trace, "utf8").split("\n").filter(Boolean))
      counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].flatMap(([name, count]) => {
      const step = Math.max(1, count / OF_A_KIND_MAX);
      return Array.from(
        { length: Math.min(count, OF_A_KIND_MAX) },
        (_, n) => `${name}#${String(1 + Math.floor(n * step))}`,
      );
    });
  } finally {
    traced.close();
  }
}

async function killAt(point: string, calm: string): Promise<{ reached: boolean; found: string[] }> {
  const workflow = new KilledProgram(SMALL);
  try {
    await workflow.live({ HOLDFAST_CRASH_AT: point });
    const reached = workflow.kills > 0;
    if (!workflow.isDone) await workflow.live();
    return { reached, found: (await workflow.judge(calm)).map((text) => `${point}: ${text}`) };
  } finally {
    workflow.close();
  }
}

test("J4 J5 J6 J8 a workflow function killed at any durable boundary of step, child, loop, sleep, wait and budget ends as if undisturbed", async (t) => {
  const calm = await undisturbed(SMALL);
  const points = await boundaries();
  const kinds = new Set(points.map((point) => point.split("#")[0]));
  for (const needed of [
    "journal.append.before",
    "journal.append.after",
    "loop.once.before",
    "loop.once.after",
    "loop.retry.before",
    "loop.retry.after",
    "journal.ask.after",
    "journal.blobs.before",
    "journal.blobs.after",
  ])
    assert.ok(kinds.has(needed), `the body no longer passes ${needed}; it passes ${[...kinds].join(", ")}`);
  const struck = ofTheDay(points, 4);
  const queue = [...struck];
  const bad: string[] = [];
  let reached = 0;
  const worker = async (): Promise<void> => {
    for (let point = queue.shift(); point !== undefined; point = queue.shift()) {
      const kill = await killAt(point, calm);
      if (kill.reached) reached += 1;
      bad.push(...kill.found);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  t.diagnostic(
    `${String(struck.length)} boundaries of ${String(kinds.size)} kinds, ${String(reached)} kills, ${String(bad.length)} violations`,
  );
  printSample(t, `${String(struck.length)} of ${String(points.length)} boundaries`);
  assert.deepEqual(bad, []);
  assert.ok(
    reached >= struck.length * 0.8,
    `only ${String(reached)} of ${String(struck.length)} were reached`,
  );
});
