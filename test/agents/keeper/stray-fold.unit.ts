import assert from "node:assert/strict";
import { test } from "node:test";
import { StrayFold, STRAYS_EACH_MS, STRAYS_MAX } from "../../../src/agents/keeper/stray-fold.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";

const stray = (nth: number): Signal => ({ kind: "unknown", text: `line ${String(nth)}` });
const strays = (count: number): Signal[] => Array.from({ length: count }, (_, nth) => stray(nth + 1));
const textsOf = (signals: readonly Signal[]): string[] =>
  signals.map((signal) => ("text" in signal ? (signal.text ?? "") : signal.kind));

test("A7 P4 a flood of lines without meaning is counted, and its first and last lines are kept", () => {
  const fold = new StrayFold();
  const given = fold.take(strays(50_000), 0);
  assert.deepEqual(given, strays(STRAYS_MAX));
  assert.deepEqual(textsOf(fold.rest()), [
    `[${String(50_000 - STRAYS_MAX - 1)} more lines like this are left out here and kept in the spool]`,
    "line 50000",
  ]);
  assert.deepEqual(fold.rest(), []);
});

test("A7 what is held of a flood comes before everything that follows it", () => {
  const fold = new StrayFold();
  const exit: Signal = { kind: "exit", how: "code", code: 0 };
  const given = fold.take([...strays(STRAYS_MAX + 3), exit], 0);
  assert.deepEqual(textsOf(given.slice(STRAYS_MAX)), [
    "[2 more lines like this are left out here and kept in the spool]",
    `line ${String(STRAYS_MAX + 3)}`,
    "exit",
  ]);
});

test("A7 a flood is reported again in each interval, and a few lines without meaning one by one", () => {
  const fold = new StrayFold();
  assert.deepEqual(fold.take(strays(3), 0), strays(3));
  fold.take(strays(100), 10);
  assert.deepEqual(fold.due(STRAYS_EACH_MS - 1), []);
  assert.equal(fold.due(STRAYS_EACH_MS).length, 2);
  assert.deepEqual(fold.take(strays(2), STRAYS_EACH_MS), strays(2));
});
