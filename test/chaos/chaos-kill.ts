/**
 * Kills real supervisors with SIGKILL at random instants and checks the contract of the kill matrix after each life.
 *
 * Usage: npm run chaos:kill -- [--times 1000] [--seed N] [--at-once 2]
 * Ends with exit 1 if anything was lost or done twice; bounded by --times and by a limit on every process.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseWords } from "../../sim/parse-words.ts";
import { violations, type Expected } from "../kill/kill-contract.ts";
import { runProgram } from "../kill/killed-process.ts";
import { REFERENCE_RUN } from "../kill/reference-run.ts";
import { seededChance } from "../../sim/seeded-chance.ts";

const PROGRAM = join(import.meta.dirname, "..", "kill", "reference-run.ts");
const EXPECTED: Expected = {
  run: REFERENCE_RUN,
  result: { last: "last" },
  charged: { flaky: 1, scripted: 1 },
};
const KILLS_PER_LIFE_MAX = 4;

const { values } = parseWords({
  options: { times: { type: "string" }, seed: { type: "string" }, "at-once": { type: "string" } },
});
const times = Number(values.times ?? 1_000);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const atOnce = Number(values["at-once"] ?? 2);
const chance = seededChance(seed);

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

/** One run from its creation to its end, killed a few times on the way. */
async function life(score: Score, lifeMs: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-chaos-"));
  try {
    for (let kill = 0; kill < KILLS_PER_LIFE_MAX && score.kills < times; kill += 1) {
      const ended = await runProgram(PROGRAM, [folder], { killAfterMs: lifeMs * (0.1 + chance() * 0.9) });
      if (ended.signal !== "SIGKILL") break;
      score.kills += 1;
    }
    const last = await runProgram(PROGRAM, [folder]);
    const failed = last.code === 0 ? [] : [`the last start ended with ${String(last.code)}: ${last.output}`];
    score.lives += 1;
    for (const found of [...failed, ...(await violations(folder, EXPECTED))]) {
      score.bad.push(found);
      console.error(`violation: ${found}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const score: Score = { kills: 0, lives: 0, bad: [] };
console.log(`chaos:kill seed ${String(seed)}, ${String(times)} kills, ${String(atOnce)} at once`);
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
