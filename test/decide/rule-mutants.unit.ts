import assert from "node:assert/strict";
import { test } from "node:test";
import { RULES } from "../../src/decide/rules.ts";
import { RULE_CASES } from "./rule-cases.ts";
import { killedByCase, killedByCuts, MUTANTS } from "./rule-mutants.ts";

for (const one of RULE_CASES)
  test(one.title, () => {
    one.check(RULES);
  });

test("J9 every rule has a name of its own and decides, is due, or holds a run open", () => {
  assert.equal(new Set(RULES.map(({ name }) => name)).size, RULES.length);
  for (const rule of RULES) assert.ok(Object.keys(rule).length > 1, rule.name);
});

test("J9 no part of any rule can be left out unnoticed: each is missed by a case above or by a golden journal", async () => {
  const missed = MUTANTS.filter((mutant) => killedByCase(mutant) === null);
  const byCuts = await killedByCuts(missed);
  const alive = missed.filter(({ name }) => !byCuts.has(name)).map(({ name }) => name);
  assert.deepEqual(alive, []);
});
