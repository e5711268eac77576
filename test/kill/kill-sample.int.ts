import assert from "node:assert/strict";
import { test } from "node:test";
import { partOf } from "./kill-sample.ts";

test("J4 P2 the parts of a kill matrix strike every boundary once, and a part that is none is refused", () => {
  const points = Array.from({ length: 10 }, (_, at) => at);
  const parts = [1, 2, 3].map((place) => partOf(points, `${String(place)}/3`));
  assert.deepEqual(parts.flat().sort(), points);
  assert.deepEqual(partOf(points, "1/1"), points);
  for (const part of ["0/3", "4/3", "3", "a/b", ""])
    assert.throws(() => partOf(points, part), /expected a part such as 3\/16/, part);
});
