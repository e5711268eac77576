import assert from "node:assert/strict";
import { test } from "node:test";
import { DrawnMemory } from "../../../src/agents/tmux/drawn-memory.ts";

test("L1 A7 a spinner, a clock and a bar are no progress, and neither are words that take turns or a screen that comes round again", () => {
  const memory = new DrawnMemory();
  assert.notEqual(memory.news(["> fix it", "✻ Pondering… (1s · esc to interrupt)"]), undefined);
  for (let second = 2; second < 2_000; second += 1) {
    const word = second % 2 === 0 ? "Pondering" : "Noodling";
    const spinner = second % 3 === 0 ? "✻" : "✢";
    const news = memory.news(["> fix it", `${spinner} ${word}… (${String(second)}s · esc to interrupt)`]);
    assert.equal(news === undefined, second !== 3, `second ${String(second)}: ${String(news)}`);
  }
});

test("L3 A7 what was never drawn before is progress, also beside what was, and is told as it stands", () => {
  const memory = new DrawnMemory();
  memory.news(["$ npm test", "3 passed"]);
  assert.equal(
    memory.news(["$ npm test", "3 passed", "", "src/a.ts: line changed"]),
    "src/a.ts: line changed",
  );
  assert.equal(memory.news(["$ npm test", "9 passed"]), undefined);
  for (let index = 0; index < 50; index += 1) {
    const file = `compiling ${"abcdefghij".slice(0, 1 + (index % 10))}${"x".repeat(index)}.ts`;
    assert.equal(memory.news([file]), file);
  }
});

test("A7 what is remembered of a screen is bounded: a line of long ago is news again", () => {
  const memory = new DrawnMemory();
  const word = (index: number): string =>
    [...index.toString(26)]
      .map((digit) => `w${digit}`)
      .join("q")
      .replaceAll(/\d/g, (digit) => "ABCDEFGHIJ".charAt(Number(digit)));
  assert.notEqual(memory.news(["the first line"]), undefined);
  for (let index = 0; index < 5_000; index += 1) memory.news([`a line about ${word(index)}`]);
  assert.equal(memory.news(["the first line"]), "the first line");
});
