import assert from "node:assert/strict";
import { test } from "node:test";
import { ratioOf, spreadOf } from "../../bench/harness/statistics.ts";

test("a spread is the median with the least and the greatest measurement", () => {
  assert.deepEqual(spreadOf([5, 1, 9]), { median: 5, min: 1, max: 9 });
  assert.deepEqual(spreadOf([4, 2, 10, 1]), { median: 3, min: 1, max: 10 });
  assert.deepEqual(spreadOf([7]), { median: 7, min: 7, max: 7 });
  assert.throws(() => spreadOf([]), /at least one/);
});

test("numbers are ordered as numbers", () => {
  assert.equal(spreadOf([100, 9, 20]).median, 20);
});

test("a ratio is taken round by round, so that a slow minute counts for both sides", () => {
  assert.deepEqual(ratioOf([50, 5, 100], [100, 10, 200]), { median: 0.5, min: 0.5, max: 0.5 });
  assert.throws(() => ratioOf([1], [1, 2]), /as many rounds/);
});
