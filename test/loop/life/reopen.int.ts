import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Reopened } from "../../../bench/children/reopen-loop.ts";

const runFile = promisify(execFile);
const program = (name: string): string =>
  join(import.meta.dirname, "..", "..", "..", "bench", "children", name);
const ITERATIONS = 1_000;
const EACH = 8;
const LIVE_BYTES = ITERATIONS * EACH * 1_030;
const MEMORY_MB_MAX = 300;

test("J5 a loop with 8 MB of messages reopens reading at most twice that, in under 300 MB of memory", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-reopen-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "agents.db");
  await assert.rejects(
    runFile(process.execPath, [program("grow-loop.ts"), file, "r", String(ITERATIONS), String(EACH)]),
    (error) => (error as { signal?: string }).signal === "SIGKILL",
  );
  const { stdout } = await runFile(process.execPath, [program("reopen-loop.ts"), file, "r"]);
  const { iteration, bytesRead, peakMb } = JSON.parse(stdout) as Reopened;
  t.diagnostic(
    `read ${String(bytesRead)} bytes for ${String(LIVE_BYTES)}, ${peakMb.toFixed(0)} MB of memory`,
  );
  assert.equal(iteration, ITERATIONS);
  assert.ok(peakMb < MEMORY_MB_MAX, `${String(peakMb)} MB`);
  if (bytesRead !== null) assert.ok(bytesRead <= 2 * LIVE_BYTES, `${String(bytesRead)} bytes were read`);
});
