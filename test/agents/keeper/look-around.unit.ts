import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownMarks } from "../../../src/agents/keeper/look-around.ts";
import type { ProcessRow } from "../../../src/agents/process-table.ts";

const row = (pid: number, startedAt = "boot:1"): ProcessRow => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  startedAt,
  zombie: false,
});

function eyes(): { known: KnownMarks; reads: number[]; environ: Map<number, string> } {
  const reads: number[] = [];
  const environ = new Map<number, string>();
  const known = new KnownMarks((pid) => {
    reads.push(pid);
    return { marks: [environ.get(pid) ?? ""], isBare: false };
  });
  return { known, reads, environ };
}

test("A3 a process that was seen for the first time is read at each look, since it may become another program", () => {
  const { known, environ } = eyes();
  environ.set(7, "of its parent");
  known.of([row(7)], 0);
  environ.set(7, "its own");
  assert.deepEqual(known.of([row(7)], 5_000).get(7)?.marks, ["its own"]);
});

test("A3 a process that was known for long is read rarely, and again after a while", () => {
  const { known, reads } = eyes();
  for (let now = 0; now <= 100_000; now += 100) known.of([row(7)], now);
  const late = reads.length;
  assert.ok(late < 200, `${String(late)} reads in 1001 looks`);
  for (let now = 100_100; now <= 131_000; now += 100) known.of([row(7)], now);
  assert.ok(reads.length > late);
});

test("A3 a pid that was given to another process is read again, and one that is gone is forgotten", () => {
  const { known, environ } = eyes();
  for (let now = 0; now <= 20_000; now += 1_000) known.of([row(7)], now);
  environ.set(7, "another");
  assert.deepEqual(known.of([row(7, "boot:2")], 20_001).get(7)?.marks, ["another"]);
  assert.equal(known.of([], 20_002).size, 0);
});
