import assert from "node:assert/strict";
import { test } from "node:test";
import { aboveInputBox } from "../../../../src/agents/tmux/screen/above-input-box.ts";
import { followTurn } from "../../../../src/agents/tmux/follow-turn.ts";
import { NOTHING_RECEIVED } from "../../../../src/agents/tmux/type/delivery-log.ts";
import { plainProgram } from "../../../../src/agents/tmux/programs/program.ts";
import { recognise } from "../../../../src/agents/tmux/screen/recognise.ts";
import type { Signal } from "../../../../src/model/agent/signals.ts";

const RULE = "─".repeat(110);
const FOOT = ["", RULE, "", RULE, "/tmp/repo (master)", "↑5.0k ↓27 0.0%/128k (auto)      scripted-model"];
const UNKNOWN = plainProgram(/[0-9.?]+%\/[0-9]+k/u);

/** What is told of a program of which only the foot of its screen is known, once it waits again. */
function reported(...answer: readonly string[]): readonly Signal[] {
  const lines = [" Write hello.txt", "", ...answer, ...FOOT];
  const look = recognise(UNKNOWN, { title: "", lines });
  assert.equal(look.state, "idle");
  const seen = { now: 0, quietMs: 5_000, promptedMs: 9_000, workSeen: true, conversation: undefined };
  const given = { ...seen, look, lines, task: "Write hello.txt" };
  const { entries } = followTurn(UNKNOWN, { ...NOTHING_RECEIVED, ready: true }, given);
  return entries.flatMap(({ signal }) => signal ?? []);
}

const kinds = (signals: readonly Signal[]): string[] => signals.map(({ kind }) => kind);
const claimOf = (signals: readonly Signal[]): unknown => {
  const claim = signals.find(({ kind }) => kind === "result");
  return claim?.kind === "result" ? claim.ok : null;
};

test("A11 B4 an error above the line of input of an unknown program is its last word, also one that wraps", () => {
  const signals = reported(
    " I will look around.",
    " $ true",
    " (no output)",
    " Error: 401 Incorrect API key provided. You can find your API key at",
    " https://platform.openai.com/account/api-keys.",
  );
  assert.deepEqual(kinds(signals), ["error", "result"]);
  assert.equal(claimOf(signals), false);
  const [error] = signals;
  assert.ok(error?.kind === "error" && error.text.startsWith("Error: 401 Incorrect API key"), error?.kind);
});

test("A11 B3 a limit above the line of input of an unknown program is a limit", () => {
  const signals = reported(" I will look around.", " Error: 429 The usage limit has been reached");
  assert.deepEqual(kinds(signals), ["rate_limit", "error", "result"]);
  assert.equal(claimOf(signals), false);
});

test("A11 B4 a summary that speaks of errors which were mended stays a claim of success", () => {
  for (const answer of [
    ["Done. hello.txt is in place."],
    ["Error: 401 was returned for an empty key. Fixed.", "All tests pass now."],
    ["I added a test for the message `Error: 401 Incorrect API key provided`."],
    ["| code | meaning |", RULE, "| 401 | wrong key |", "The table is in docs/errors.md."],
  ])
    assert.equal(claimOf(reported(...answer)), true, answer.join("\n"));
});

test("A11 only an empty box near the end of a screen is a line of input", () => {
  const answer = ["one", "two"];
  for (const box of [
    [RULE, "", RULE],
    [`╭${RULE}╮`, "│ >                 │", `╰${RULE}╯`, "status"],
    [RULE, " ❯ ", RULE, "a", "b"],
  ])
    assert.deepEqual(aboveInputBox([...answer, ...box]), answer, box.join("\n"));
  for (const other of [
    [RULE, "a heading", RULE],
    [RULE, RULE],
    ["---", "", "---"],
    [RULE, "", RULE, ..."abcdefgh"],
    [RULE, "", "", "", "", "", RULE],
  ])
    assert.deepEqual(aboveInputBox([...answer, ...other]), [...answer, ...other], other.join("\n"));
});
