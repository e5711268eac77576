import assert from "node:assert/strict";
import { test } from "node:test";
import { nameStore } from "../../../src/cli/shell/name-store.ts";

test("O1 commands within messages carry the store where it is not the default one", () => {
  const text =
    "it is damaged — run `holdfast verify r1` and see `holdfast status --help` or `holdfast config schema`";
  assert.equal(nameStore(text, null), text);
  assert.equal(
    nameStore(text, "sqlite:/my store.db"),
    text.replace("verify r1", "verify r1 --store 'sqlite:/my store.db'"),
  );
  assert.equal(nameStore("no `other` words", "sqlite:/x"), "no `other` words");
});
