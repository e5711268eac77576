import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { openHoldfast } from "../../../src/open-holdfast.ts";
import { isFault } from "../../../src/model/fault.ts";

for (const [what, strike] of [
  ["deleted", (file: string): void => rmSync(file)],
  ["replaced", (file: string): void => renameSync(`${file}-other`, file)],
] as const)
  test(`J1 a workflow function whose store is ${what} in mid-run goes no further: its next step fails by name, and none after it is done`, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-gone-"));
    const file = path.join(folder, "holdfast.db");
    const done: string[] = [];
    try {
      await (await openHoldfast({ store: `sqlite:${file}-other` })).close();
      const hf = await openHoldfast({ store: `sqlite:${file}` });
      const running = hf.run("mail", async (scope) => {
        await scope.step("one", () => done.push("one"));
        strike(file);
        await scope.step("two", () => done.push("two")).catch(() => undefined);
        await scope.step("three", () => done.push("three"));
      });
      await assert.rejects(running, (error) => isFault(error, "store_gone"));
      assert.ok(!done.includes("three"), done.join(", "));
      await hf.close().catch(() => undefined);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
