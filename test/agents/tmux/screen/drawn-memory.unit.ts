import assert from "node:assert/strict";
import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { DrawnMemory } from "../../../../src/agents/tmux/screen/drawn-memory.ts";
import { claudeProgram } from "../../../../src/agents/tmux/programs/claude.ts";

const plainMemory = (): DrawnMemory => new DrawnMemory({ busy: [] }, { said: "/nothing/was/said" });

test("L1 A7 a spinner, a clock and a bar are no progress, and neither are words that take turns or a screen that comes round again", () => {
  const memory = plainMemory();
  assert.notEqual(memory.news(["> fix it", "✻ Pondering… (1s · esc to interrupt)"]), undefined);
  for (let second = 2; second < 2_000; second += 1) {
    const word = second % 2 === 0 ? "Pondering" : "Noodling";
    const spinner = second % 3 === 0 ? "✻" : "✢";
    const news = memory.news(["> fix it", `${spinner} ${word}… (${String(second)}s · esc to interrupt)`]);
    assert.equal(news === undefined, second !== 3, `second ${String(second)}: ${String(news)}`);
  }
});

test("L3 A7 what was never drawn before is progress, also beside what was, and is reported as it stands", () => {
  const memory = plainMemory();
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
  const memory = plainMemory();
  const word = (index: number): string =>
    [...index.toString(26)]
      .map((digit) => `w${digit}`)
      .join("q")
      .replaceAll(/\d/g, (digit) => "ABCDEFGHIJ".charAt(Number(digit)));
  assert.notEqual(memory.news(["the first line"]), undefined);
  for (let index = 0; index < 5_000; index += 1) memory.news([`a line about ${word(index)}`]);
  assert.equal(memory.news(["the first line"]), "the first line");
});

test("L1 L2 A7 while a provider hangs, advice to users, the spinner's words and the foot of Claude Code's screen are no progress", () => {
  const memory = new DrawnMemory(claudeProgram, { said: "/nothing/was/said" });
  const foot = "  ⏵⏵ accept edits on (shift+tab to cycle) · esc to interrupt";
  assert.notEqual(memory.news(["● I will look around.", "✻ Osmosing…", foot]), undefined);
  const moving = [
    "✢ Percolating… (12s · ↓ 3 tokens)",
    "  ⎿  Tip: Use /btw to ask a quick side question",
    "✻ API error · Retrying in 15s · attempt 6/10",
    "❯ Press up to edit queued messages",
    `${foot} · ← for agents`,
  ];
  for (const line of moving)
    assert.equal(memory.news(["● I will look around.", line, foot]), undefined, line);
  assert.match(memory.news(["● I will look around.", "● Bash(true)", foot]) ?? "", /Bash/);
});

test("L4 A7 what a dialog shows, and the line that reports a limit, are no progress that would end the wait for it", () => {
  const memory = plainMemory();
  const limit = "Usage limit reached for this model.";
  const dialog = { kind: "limit", askId: "a", text: limit } as const;
  assert.equal(memory.news(["● Bash(true)", limit], { limit }), undefined);
  assert.equal(memory.news(["● Bash(true)", limit, "1. Keep trying"], { limit, dialog }), undefined);
  assert.equal(memory.news([limit, "● It works again."], { limit }), "● It works again.");
});

test("L1 A7 what appears while Holdfast types is no progress of the agent", (t) => {
  const said = mkdtempSync(path.join(tmpdir(), "holdfast-said-"));
  t.after(() => rmSync(said, { recursive: true }));
  const memory = new DrawnMemory(claudeProgram, { said });
  memory.news(["● I will look around."]);
  utimesSync(said, 1, 1);
  assert.equal(memory.news(["● I will look around.", "  It looks as if you are stuck:"]), undefined);
  assert.equal(memory.news(["● I will look around.", "● You are right."]), "● You are right.");
});
