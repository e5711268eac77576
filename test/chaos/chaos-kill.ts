/**
 * Kills real supervisors with SIGKILL at random instants and checks the contract of the kill matrix after each life.
 *
 * Usage: npm run chaos:kill -- [--times 1000] [--seed N] [--at-once 2] [--variant NAME|all]
 * Variants (`kill-variants.ts`): plain, pid-namespaces, two-hosts, sigstop, clock, disk-full, descriptors; `all` plays
 * those that this machine can, one after the other, to a total of --times (or --kills).
 * Ends with exit 1 if anything was lost or done twice; bounded by --times and by a limit on every process.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseWords } from "../../sim/people/parse-words.ts";
import { violations, type Expected } from "../kill/kill-contract.ts";
import { runProgram } from "../kill/killed-process.ts";
import { REFERENCE_RUN } from "../kill/reference-run.ts";
import { playAll } from "./kill/all-variants.ts";
import { removeRun, VARIANTS, type Variant } from "./kill/kill-variants.ts";
import { seededChance } from "../../sim/world/seeded-chance.ts";

const PROGRAM = join(import.meta.dirname, "..", "kill", "reference-run.ts");
const EXPECTED: Expected = {
  run: REFERENCE_RUN,
  result: { last: "last" },
  charged: { flaky: 1, scripted: 1 },
};
const KILLS_PER_LIFE_MAX = 4;

const { values } = parseWords({
  options: {
    times: { type: "string" },
    kills: { type: "string" },
    seed: { type: "string" },
    "at-once": { type: "string" },
    variant: { type: "string" },
  },
});
const times = Number(values.times ?? values.kills ?? 1_000);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const atOnce = Number(values["at-once"] ?? 2);
const chance = seededChance(seed);
const name = values.variant ?? "plain";
if (name === "all")
  process.exit(await playAll({ program: import.meta.filename, kills: times, seed, atOnce }));
const variant = chosen(name);

function chosen(name: string): Variant {
  const found = VARIANTS[name];
  if (found === undefined) {
    console.error(`--variant is "${name}"; expected all, or one of ${Object.keys(VARIANTS).join(", ")}`);
    process.exit(2);
  }
  const missing = found.missing();
  if (missing !== null) {
    console.error(`SKIPPED: the variant ${name} cannot be played here: ${missing}`);
    process.exit(3);
  }
  return found;
}

/** Disks are mounted in a namespace of this program's own, and gone with it. */
if (variant.trouble !== undefined && process.env["HOLDFAST_OWN_MOUNTS"] === undefined) {
  const env = { ...process.env, HOLDFAST_OWN_MOUNTS: "1" };
  const inside = spawnSync("unshare", ["-m", process.execPath, ...process.argv.slice(1)], {
    stdio: "inherit",
    env,
  });
  process.exit(inside.status ?? 1);
}

interface Score {
  kills: number;
  lives: number;
  bad: string[];
}

/** How long an undisturbed life takes here and now: kills are spread over it. */
async function measure(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-chaos-"));
  const began = performance.now();
  await runProgram(PROGRAM, [folder]);
  rmSync(folder, { recursive: true, force: true });
  return performance.now() - began;
}

interface Storm {
  readonly folder: string;
  readonly place: number;
  readonly score: Score;
  readonly lifeMs: number;
}

/** One of the supervisors of a run: killed a few times, and left in peace at last. */
async function supervisorOf({ folder, place, score, lifeMs }: Storm): Promise<void> {
  for (let kill = 0; kill < KILLS_PER_LIFE_MAX && score.kills < times; kill += 1) {
    const stopped = variant.stop?.(chance);
    const ended = await runProgram(PROGRAM, [folder], {
      ...variant.start({ place, chance, calm: false }),
      killAfterMs: lifeMs * (0.1 + chance() * 0.9),
      ...(stopped === undefined ? {} : { stopped }),
    });
    if (ended.code === 0) break;
    if (ended.signal === "SIGKILL") score.kills += 1;
  }
}

/** The last start of each supervisor: it must bring the run to its end. */
async function finish(folder: string, place: number): Promise<string[]> {
  const last = await runProgram(PROGRAM, [folder], {
    ...variant.start({ place, chance, calm: true }),
    limitMs: 120_000,
  });
  return last.code === 0 ? [] : [`the last start ended with ${String(last.code)}: ${last.output}`];
}

/** One run from its creation to its end, killed a few times on the way. */
async function life(score: Score, lifeMs: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-chaos-"));
  try {
    const calm = variant.trouble?.(folder, chance);
    const places = Array.from({ length: variant.atOnce }, (_, place) => place);
    await Promise.all(places.map((place) => supervisorOf({ folder, place, score, lifeMs })));
    await calm?.();
    const failed = (await Promise.all(places.map((place) => finish(folder, place)))).flat();
    score.lives += 1;
    for (const found of [
      ...failed,
      ...(await violations(folder, { ...EXPECTED, excused: variant.excused ?? [] })),
    ]) {
      score.bad.push(found);
      console.error(`violation: ${found}`);
    }
  } finally {
    removeRun(folder);
  }
}

const score: Score = { kills: 0, lives: 0, bad: [] };
console.log(`chaos:kill ${name}, seed ${String(seed)}, ${String(times)} kills, ${String(atOnce)} at once`);
const lifeMs = await measure();
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (score.kills < times) {
      await life(score, lifeMs);
      if (score.lives % 25 === 0) console.log(`${String(score.kills)} kills in ${String(score.lives)} runs`);
    }
  }),
);
console.log(
  `${String(score.kills)} kills in ${String(score.lives)} runs: ${String(score.bad.length)} violations`,
);
process.exitCode = score.bad.length === 0 ? 0 : 1;
