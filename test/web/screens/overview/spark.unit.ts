import assert from "node:assert/strict";
import { test } from "node:test";
import { SPARK_BARS, sparkOf } from "../../../../web/src/screens/overview/spark.ts";

const at = (minute: number): string => new Date(minute * 60_000).toISOString();
const used = (minute: number, tokensIn: number, usd = 0) => ({ at: at(minute), usd, tokensIn, tokensOut: 0 });

test("O2 what a run has used of late is drawn in equal parts of time, as shares of the most", () => {
  const bars = sparkOf([used(0, 100), used(1, 100), used(99, 50), used(100, 350)]);
  assert.equal(bars.length, SPARK_BARS);
  assert.deepEqual([bars[0], bars.at(-1)], [0.5, 1]);
  assert.ok(bars.slice(1, -1).every((share) => share === 0));
});

test("O2 money is drawn where no tokens are known, and nothing for a single moment or for no use at all", () => {
  assert.deepEqual(
    [sparkOf([used(0, 0, 1), used(10, 0, 2)])[0], sparkOf([used(0, 0, 1), used(10, 0, 2)]).at(-1)],
    [0.5, 1],
  );
  assert.deepEqual(sparkOf([]), []);
  assert.deepEqual(sparkOf([used(5, 100)]), []);
  assert.deepEqual(sparkOf([used(0, 0), used(9, 0)]), []);
});
