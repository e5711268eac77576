import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { TrustedStore } from "../../../src/workspace/snapshot/trusted-store.ts";

test("W9 many runs may keep the same protected bytes at the same time", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-trusted-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const store = new TrustedStore(folder);
  const texts = Array.from({ length: 60 }, (_, index) => `text ${String(index % 3)}`);
  const kept = await Promise.all(texts.map((text) => store.keep(Buffer.from(text))));
  assert.deepEqual(readdirSync(folder).sort(), [...new Set(kept)].sort());
  for (const [index, digest] of kept.entries())
    assert.equal((await store.read(digest))?.toString(), texts[index]);
});
