import assert from "node:assert/strict";
import { test } from "node:test";
import { isNestedTooDeep, NESTED_MAX } from "../../../src/model/values/nesting.ts";

const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
};

test("P4 how deep a value is nested is known of any value, however deep, wide or circular it is", () => {
  for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ inner, other: "x" })]) {
    assert.equal(isNestedTooDeep(nested(NESTED_MAX, wrap)), false);
    assert.equal(isNestedTooDeep(nested(NESTED_MAX + 1, wrap)), true);
    assert.equal(isNestedTooDeep(nested(200_000, wrap)), true);
  }
  assert.equal(isNestedTooDeep(Array.from({ length: 200_000 }, () => ({ a: [1] }))), false);
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  assert.equal(isNestedTooDeep(circle), true);
  for (const plain of [null, undefined, "text", 1, [], {}]) assert.equal(isNestedTooDeep(plain), false);
});
