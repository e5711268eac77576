import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_SNAPSHOT_RULES as rules } from "../../src/workspace/workspace.ts";

test("W2 a snapshot is bounded in files and bytes, and leaves ignored files alone unless told otherwise", () => {
  for (const bound of [rules.fileBytesMax, rules.newBytesMax, rules.filesMax])
    assert.ok(Number.isSafeInteger(bound) && bound > 0);
  assert.ok(rules.fileBytesMax < rules.newBytesMax);
  assert.equal(rules.ignored, "skip");
});
