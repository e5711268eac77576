import assert from "node:assert/strict";
import { test } from "node:test";
import { watchLines, WatchScreen } from "../../../src/cli/print/watch/watch-lines.ts";
import type { WatchEntry } from "../../../src/views/runs/watch-entry.ts";

const SIZE = { columns: 60, rows: 20 };
const entry = (run: string, group: WatchEntry["group"], more: Partial<WatchEntry> = {}): WatchEntry => ({
  run,
  goal: "fix it",
  status: "running",
  group,
  health: "healthy",
  what: "work #1 healthy",
  until: null,
  command: null,
  steps: { done: 1, of: 3 },
  agent: null,
  since: new Date(0).toISOString(),
  ...more,
});
const texts = (entries: WatchEntry[], size = SIZE): string[] =>
  watchLines(entries, "holdfast", 61_000, size).map(({ text }) => text);

test("O2 runs are grouped, most urgent first, with their command and their time", () => {
  const lines = texts(
    [
      entry("a", "done", { what: "completed" }),
      entry("b", "waiting", { what: "a limit", until: new Date(121_000).toISOString() }),
      entry("c", "working"),
      entry("d", "needs_you", { what: "stuck: loops", command: "holdfast retry d" }),
    ],
    { columns: 200, rows: 40 },
  );
  assert.match(lines[0] ?? "", /1 need you · 1 working · 1 waiting · 1 done/);
  const order = ["NEEDS YOU", "→ holdfast retry d", "WORKING", "WAITING", "DONE"];
  const at = order.map((words) => lines.findIndex((line) => line.includes(words)));
  assert.deepEqual(
    at,
    [...at].sort((one, other) => one - other),
    lines.join("\n"),
  );
  assert.ok(lines.some((line) => /b {2}until .*, 1 min 0 s more · 1\/3 steps · a limit/.test(line)));
  assert.ok(lines.some((line) => /c {2}last seen 1 min 1 s ago/.test(line)));
});

test("O2 no line is wider than the screen, there are never more than its rows, and what is left out is counted", () => {
  const many = Array.from({ length: 50 }, (_, index) =>
    entry(`run_${String(index)}`, "working", { goal: "宽".repeat(80) }),
  );
  const lines = texts(many);
  assert.equal(lines.length, SIZE.rows);
  assert.match(lines.at(-1) ?? "", /… and \d+ more lines/);
  for (const line of lines) assert.ok([...line].length <= SIZE.columns);
});

test("P3 O2 what a run or an agent is called cannot write to the terminal", () => {
  const lines = texts([
    entry("\u001b[2Jx", "needs_you", { what: "\u001b]0;t\u0007", command: "a\u009b31m" }),
  ]);
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  for (const line of lines) assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f]/);
});

test("O2 a frame is one write that draws what changed and clears nothing; one without a change writes nothing", () => {
  const writes: string[] = [];
  const screen = new WatchScreen((text) => writes.push(text));
  const line = (text: string) => ({ text, heading: false });
  screen.draw([line("one"), line("two"), line("three")], SIZE);
  screen.draw([line("one"), line("2"), line("three")], SIZE);
  screen.draw([line("one"), line("2"), line("three")], SIZE);
  screen.draw([line("one")], SIZE);
  screen.draw([line("one")], { columns: 50, rows: 20 });
  screen.close();
  screen.close();
  const [first = "", second = "", third = "", fourth = "", last = "", ...more] = writes;
  assert.deepEqual(more, []);
  assert.ok(first.startsWith("\u001b[?1049h\u001b[?25l"));
  assert.equal(second, "\u001b[?2026h\u001b[2;1H2\u001b[K\u001b[?2026l");
  assert.equal(third, "\u001b[?2026h\u001b[2;1H\u001b[J\u001b[?2026l");
  assert.equal(fourth, "\u001b[?2026h\u001b[1;1Hone\u001b[K\u001b[2;1H\u001b[J\u001b[?2026l");
  assert.equal(last, "\u001b[?25h\u001b[?1049l");
  assert.ok(writes.every((text) => !text.includes("\u001b[2J")));
});
