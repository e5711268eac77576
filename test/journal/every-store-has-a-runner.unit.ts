import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

test("J1 every store passes the contract: each folder under src/journal has a runner", () => {
  const folders = readdirSync(new URL("../../src/journal/", import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const runners = readdirSync(new URL(".//", import.meta.url));
  assert.ok(folders.length >= 2);
  for (const folder of folders)
    assert.ok(runners.includes(`${folder}.contract.ts`), `test/journal/${folder}.contract.ts`);
});
