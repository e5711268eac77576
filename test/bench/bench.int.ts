import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

const MAIN = path.join(import.meta.dirname, "..", "..", "bench", "main.ts");

test("a quick benchmark runs, reports ratios against its alternatives and leaves nothing behind", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-bench-test-"));
  try {
    const out = path.join(folder, "report.md");
    execFileSync(process.execPath, [MAIN, "--quick", "--only", "append", "--out", out], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const text = readFileSync(out, "utf8");
    assert.match(text, /^\| append alone \/ bare node:sqlite insert \| [\d.]+ \| [\d.]+ – [\d.]+ \|/m);
    assert.match(text, /^\| 100 concurrent runs \/ append alone \| /m);
    assert.deepEqual(readdirSync(folder), ["report.md"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
