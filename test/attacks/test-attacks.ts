import assert from "node:assert/strict";
import { test } from "node:test";
import { restsToday } from "../day-sample.ts";
import type { Attack } from "./attack.ts";
import { broken, runAttack } from "./run-attack.ts";
import { THREATS } from "./threats.ts";

const SEED = Number(process.env["HOLDFAST_ATTACK_SEED"] ?? 1);

/** Each attack is tried on one day in so many. */
const DAYS = 2;

/** The short form of attacks: one test each. What cannot be tested here is skipped with its reason. */
export function testAttacks(attacks: readonly Attack[]): void {
  const short = attacks.filter(({ count }) => count.short > 0);
  for (const [at, attack] of short.entries()) {
    const skip = restsToday(at, DAYS, "npm run chaos:attacks");
    const rows = THREATS.find(({ id }) => id === attack.threat)?.rows ?? "";
    const held = attack.promised === "prevented" ? "in vain" : "and it is recorded";
    test(`${rows} ${attack.threat} (${attack.level}): ${attack.title}, ${held}`, { skip }, async (t) => {
      const outcome = await runAttack(attack, { count: attack.count.short, seed: SEED });
      if (outcome.kind === "tried") assert.deepEqual(broken(attack, outcome), []);
      else t.skip(`${outcome.kind}: ${outcome.reason}`);
    });
  }
}
