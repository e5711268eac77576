import assert from "node:assert/strict";
import { test } from "node:test";
import { placedCommand } from "../../../src/model/text/command-text.ts";

test("J1 a command that was recorded without a store names the one where it holds, and a command of others stays as it is", () => {
  const accept = "holdfast accept shop.page.1 --resolution merge";
  assert.equal(placedCommand(accept, null), accept);
  assert.equal(placedCommand(accept, "sqlite:/tmp/a b.db"), `${accept} --store 'sqlite:/tmp/a b.db'`);
  assert.equal(placedCommand(accept, "https://host:4377"), `${accept} --server https://host:4377`);
  const git = "git -C /srv/api switch main";
  assert.equal(placedCommand(git, "sqlite:/tmp/a.db"), git);
});
