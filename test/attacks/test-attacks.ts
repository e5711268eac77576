import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attack } from "./attack.ts";
import { broken, runAttack } from "./run-attack.ts";
import { THREATS } from "./threats.ts";

const SEED = Number(process.env["HOLDFAST_ATTACK_SEED"] ?? 1);

/** The short form of attacks: one test each. What cannot be tested here is skipped with its reason. */
export function testAttacks(attacks: readonly Attack[]): void {
  for (const attack of attacks.filter(({ count }) => count.short > 0)) {
    const rows = THREATS.find(({ id }) => id === attack.threat)?.rows ?? "";
    const held = attack.promised === "prevented" ? "in vain" : "and it is recorded";
    test(`${rows} ${attack.threat} (${attack.level}): ${attack.title}, ${held}`, async (t) => {
      const outcome = await runAttack(attack, { count: attack.count.short, seed: SEED });
      if (outcome.kind === "tried") assert.deepEqual(broken(attack, outcome), []);
      else t.skip(`${outcome.kind}: ${outcome.reason}`);
    });
  }
}
