import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { recoveryDocument } from "../../scripts/docs/recovery-doc.ts";
import { statesDocument } from "../../scripts/docs/states-doc.ts";

const written = (name: string): string =>
  readFileSync(join(import.meta.dirname, "..", "..", "docs", name), "utf8");

test("G2 docs/states.md is what the table says; `npm run docs` writes it", () => {
  assert.equal(written("states.md"), statesDocument());
});

test("G3 docs/recovery.md is what the descriptors say; `npm run docs` writes it", () => {
  assert.equal(written("recovery.md"), recoveryDocument());
});
