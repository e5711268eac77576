import assert from "node:assert/strict";
import { test } from "node:test";
import { straceWorks, watchLife } from "./watched-life.ts";

test("W11 nothing that Holdfast or its gits remove or replace in a user's folders is in no snapshot, kills included", (t) => {
  if (!straceWorks()) {
    t.skip("strace is missing or not allowed here: what is destroyed was NOT watched");
    return;
  }
  const { violations, ...report } = watchLife(4, 3);
  t.diagnostic(JSON.stringify(report));
  assert.deepEqual(violations, []);
  assert.ok(report.destructions > 0, "nothing was destroyed, so nothing was shown");
});
