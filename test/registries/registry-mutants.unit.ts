import assert from "node:assert/strict";
import { test } from "node:test";
import { ofTheDay, printSample } from "../day-sample.ts";
import { killerOf, registryMutants } from "./registry-mutants.ts";

const PLAYED_ONE_IN = 80;

test("J9 no entry of any registry can be left out unnoticed: a named test fails without it", async (t) => {
  const all = registryMutants();
  const played = ofTheDay(all, PLAYED_ONE_IN);
  printSample(t, `${String(played.length)} of ${String(all.length)} entries`);
  for (const mutant of played)
    assert.notEqual(await killerOf(mutant), null, `${mutant.registry.name} without ${mutant.entry}`);
});
