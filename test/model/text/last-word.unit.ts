import assert from "node:assert/strict";
import { test } from "node:test";
import { readLastWord, saysNothingToDo } from "../../../src/model/text/last-word.ts";
import { LAST_WORDS } from "../last-words.ts";

test("B4 an error, a limit or a refusal reported in prose is read as one, and a summary that mentions one is not", () => {
  const wrong = LAST_WORDS.filter(([label, text]) => (readLastWord(text)?.kind ?? "success") !== label).map(
    ([label, text]) => `${label} is read as ${readLastWord(text)?.kind ?? "success"}: ${text}`,
  );
  assert.deepEqual(wrong, []);
  const successes = LAST_WORDS.filter(([label]) => label === "success").length;
  assert.ok(successes >= 30 && LAST_WORDS.length - successes >= 30);
});

test("B4 a last word is read in time linear in its length", () => {
  for (const piece of ["error ", "I can't ", "the request ", "a: ", "`", "not found ", "Error: ", "[["]) {
    const begun = process.cpuUsage();
    readLastWord(piece.repeat(100_000));
    saysNothingToDo(piece.repeat(100_000));
    const { user } = process.cpuUsage(begun);
    assert.ok(user < 2_000_000, `${piece} took ${String(user)} µs`);
  }
});

const NOTHING = [
  "There is nothing to do: the tests pass already.",
  "No changes needed.",
  "No code changes were necessary; parse() handles this.",
  "The feature is already implemented.",
  "Nothing else needs to be done.",
];
const SOMETHING = [
  "I added a test.",
  "Done.",
  "I did nothing of the kind.",
  "There is no way to do this.",
  "Changed what was needed.",
];

test("B4 only a text that says so explicitly says that there was nothing to do", () => {
  assert.deepEqual(
    NOTHING.filter((text) => !saysNothingToDo(text)),
    [],
  );
  assert.deepEqual(SOMETHING.filter(saysNothingToDo), []);
});
