import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

/** Shared by drivers, and none itself. */
const NO_DRIVERS = new Set(["fence", "keeper", "headless", "meters", "sandbox"]);

test("A1 every driver passes the contract: each folder under src/agents has a runner", () => {
  const folders = readdirSync(new URL("../../src/agents/", import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NO_DRIVERS.has(entry.name))
    .map((entry) => entry.name);
  const runners = readdirSync(new URL(".//", import.meta.url));
  assert.ok(folders.length >= 2);
  for (const folder of folders)
    assert.ok(runners.includes(`${folder}.contract.ts`), `test/agents/${folder}.contract.ts`);
});
