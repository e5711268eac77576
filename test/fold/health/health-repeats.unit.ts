import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cycleOf, noRepeats, PERIOD_MAX, repeat } from "../../../src/fold/health/health-repeats.ts";

/** As it is defined: how many of the last keys equal the one `period` places before, without a break. */
function slowly(keys: readonly string[], period: number): number {
  let run = 0;
  for (let at = keys.length - 1; at - period >= 0 && keys[at] === keys[at - period]; at -= 1) run += 1;
  return run;
}

test("L2 runs of every period are counted as if the whole history were kept, in memory that does not grow", () => {
  const keys = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 60 });
  fc.assert(
    fc.property(keys, (history) => {
      const repeats = noRepeats();
      for (const key of history) repeat(repeats, key);
      for (let period = 1; period <= PERIOD_MAX; period += 1)
        assert.equal(repeats.runs[period - 1], slowly(history, period));
      assert.ok(repeats.keys.length <= PERIOD_MAX);
    }),
  );
});

test("L2 the shortest cycle is named, with its rounds", () => {
  const repeats = noRepeats();
  for (const key of [..."xabcabcabc"]) repeat(repeats, key);
  assert.deepEqual(
    cycleOf(repeats, () => 3),
    { period: 3, rounds: 3 },
  );
  assert.equal(
    cycleOf(repeats, () => 4),
    null,
  );
});

test("L2 one key again and again is no longer cycle", () => {
  const repeats = noRepeats();
  for (const key of [..."aaaaaaaa"]) repeat(repeats, key);
  assert.equal(
    cycleOf(repeats, (period) => (period === 1 ? 100 : 2)),
    null,
  );
});
