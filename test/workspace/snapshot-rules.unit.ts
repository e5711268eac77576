import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_SNAPSHOT_RULES as rules, type Workspace } from "../../src/workspace/workspace.ts";

test("W2 a snapshot is bounded in files and bytes, and leaves ignored files alone unless asked otherwise", () => {
  for (const bound of [rules.fileBytesMax, rules.newBytesMax, rules.filesMax])
    assert.ok(Number.isSafeInteger(bound) && bound > 0);
  assert.ok(rules.fileBytesMax < rules.newBytesMax);
  assert.equal(rules.ignored, "skip");
});

type Changing = "snapshot" | "restore" | "createWorktree" | "removeWorktree" | "commit";
type Keyed = Parameters<Workspace[Changing]>[0] extends { readonly key: string } ? true : never;

test("W2 every order that changes a tree or a store carries a key", () => {
  const keyed: Keyed = true;
  assert.ok(keyed);
});
