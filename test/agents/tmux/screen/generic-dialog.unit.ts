import assert from "node:assert/strict";
import { test } from "node:test";
import { genericDialog } from "../../../../src/agents/tmux/screen/generic-dialog.ts";
import { plainProgram } from "../../../../src/agents/tmux/programs/program.ts";
import { readCapture } from "../../../../src/agents/tmux/screen/read-capture.ts";
import { recognise } from "../../../../src/agents/tmux/screen/recognise.ts";
import type { Screen } from "../../../../src/agents/tmux/screen/look-at-panes.ts";

/** A screen whose cursor is behind the last row, or below it where that is empty. */
function screenOf(...rows: string[]): Screen {
  const { lines, lit } = readCapture(rows.join("\n"));
  return {
    title: "",
    lines,
    lit,
    cursor: { x: (rows.at(-1) ?? "").length, y: rows.length - 1, shown: true },
  };
}

const CHOICES: readonly (readonly string[])[] = [
  ["Run it?", "❯ Allow", "  Deny", ""],
  ["  ● 1. Yes, once", "    2. No", ""],
  ["│ > Allow once   │", "│   Always allow │", "│   Deny         │", ""],
  ["Choose", "  \u001b[7mAllow once\u001b[0m", "  Deny"],
  ["(*) dark", "( ) light", ""],
  ["[x] tests", "[ ] docs", ""],
  ["1. small", "2. large", "Select an option: "],
  ["Overwrite file.txt? [y/N] "],
  ["Proceed (yes/no)? "],
  ["Do you want to continue? (Y/n/always) "],
  ["Continue?"],
  ["What is your name? "],
  ["Enter passphrase for key 'id': "],
  ["agent password: "],
  ["text", "--More--"],
  ["text", "(END)"],
  ["text", ":"],
  ["Press ENTER to continue"],
  ["  < Yes >   < No >"],
  ["Pick one", "small", "large", "↑/↓ to move, enter to select"],
];

for (const rows of CHOICES)
  test(`B3 a screen asks for a choice: ${JSON.stringify(rows.join(" | ")).slice(0, 70)}`, () => {
    assert.notEqual(genericDialog(screenOf(...rows), false), undefined);
  });

const TEXT: readonly (readonly string[])[] = [
  ["> "],
  ["hello", "agent> "],
  ["The plan:", "  1. read the file", "  2. change it", "  3. test it", "> "],
  ["- one", "* two", "  three", "", "$ "],
  ["> an earlier task", "  its answer, indented", "done", "> "],
  ["Are there tests? Yes, there are.", "> "],
  ["The option [y/n] was removed.", "> "],
  ["Your password was not asked for.", "> "],
  [
    "\u001b[7m my agent 1.0                                                                                            \u001b[0m",
    "text",
    "> ",
  ],
  ["text", "> \u001b[7m \u001b[0m"],
];

for (const rows of TEXT)
  test(`B3 a screen asks for no choice: ${JSON.stringify(rows.join(" | ")).slice(0, 70)}`, () => {
    assert.equal(genericDialog(screenOf(...rows), false), undefined);
  });

test("B3 a prompt that was described is found in the row of the cursor, with other rows below it", () => {
  const program = plainProgram(/^> $/u);
  const lines = ["hello", "> ", "", "ready | 0 tokens"];
  const at = (x: number, y: number): string =>
    recognise(program, { title: "", lines, cursor: { x, y, shown: true } }).state;
  assert.equal(at(2, 1), "idle");
  assert.equal(at(0, 3), "idle");
  const typed = { title: "", lines: ["> a task", "working"], cursor: { x: 7, y: 1, shown: true } };
  assert.equal(recognise(plainProgram(/^> /u), typed).state, "unknown");
});

test("B3 a choice comes before a prompt that matches it by chance", () => {
  const screen = screenOf("Run it?", "> Allow", "  Deny", "");
  assert.equal(recognise(plainProgram(/^> /u), screen).state, "dialog");
});
