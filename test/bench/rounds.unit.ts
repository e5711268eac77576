import assert from "node:assert/strict";
import { test } from "node:test";
import { inTurns, ratesOf, type Side } from "../../bench/harness/rounds.ts";

/** Sides that move a clock of their own making, and write down whose turn it was. */
function scene() {
  let nowMs = 0;
  const turns: string[] = [];
  const side = (name: string, msEach: number, each = 1): Side => ({
    each,
    more(times) {
      turns.push(name);
      nowMs += times * each * msEach;
    },
    close: () => undefined,
  });
  return { side, turns, clock: () => nowMs };
}

const plan = { rounds: 2, turns: 2, perTurn: 10, budgetMs: 1e9 };

test("rates are operations per second, no matter what a side does at a time", async () => {
  const { side, clock } = scene();
  const rates = await ratesOf([side("slow", 10), side("quick", 1), side("many", 2, 25)], plan, clock);
  assert.deepEqual(
    rates.map(({ whole }) => whole),
    [
      [100, 100],
      [1_000, 1_000],
      [500, 500],
    ],
  );
});

test("a side's best turn of a round is reported beside the whole round", async () => {
  let nowMs = 0;
  const turnsMs = [1, 1, 10, 30, 30, 10].values();
  const side: Side = { more: () => void (nowMs += turnsMs.next().value ?? 0), close: () => undefined };
  const rates = await ratesOf([side], plan, () => nowMs);
  assert.deepEqual(rates, [{ whole: [500, 500], best: [1_000, 1_000] }]);
});

test("sides take turns in both orders, and the first round does not count", async () => {
  const { side, turns, clock } = scene();
  await ratesOf([side("a", 1), side("b", 1)], { ...plan, rounds: 1 }, clock);
  assert.equal(turns.join(""), "abbaabba");
});

test("a machine too slow for all rounds gets fewer of them, but never less than three", async () => {
  const { side, clock } = scene();
  const [rates] = await ratesOf([side("a", 1)], { ...plan, rounds: 50, budgetMs: 100 }, clock);
  assert.equal(rates?.whole.length, 4);
  const [few] = await ratesOf([side("a", 1)], { ...plan, rounds: 50, budgetMs: 1 }, clock);
  assert.equal(few?.whole.length, 3);
});

test("alternatives that measure themselves take turns too", async () => {
  let number = 0;
  const next = (): Promise<number> => Promise.resolve((number += 1));
  assert.deepEqual(await inTurns([next, next], 3), [
    [1, 3, 5],
    [2, 4, 6],
  ]);
});
