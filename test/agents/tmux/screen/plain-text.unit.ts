import assert from "node:assert/strict";
import { test } from "node:test";
import { endOf, endsWith, showsEnd } from "../../../../src/agents/tmux/screen/plain-text.ts";

const CHARS = 24;

test("A8 a text is found on a screen that drops joiners and cuts long emoji", () => {
  const text = "ask 👩‍👩‍👧‍👦👩‍👩‍👧‍👦 whether e\u0301 is (y/n)";
  // As tmux draws it: the last of each family is missing.
  const screen = "> ask 👩‍👩‍👧‍👩‍👩‍👧‍ whether e\u0301 is (y/n)";
  assert.ok(showsEnd(`${screen} and more`, endOf(text, CHARS)));
  assert.ok(endsWith(screen, endOf(text, CHARS)));
});

test("A8 a text of emoji alone is still looked for, and another one is not taken instead", () => {
  assert.equal(endOf("👍🏽", CHARS), "👍🏽");
  assert.ok(showsEnd("> 👍🏽", endOf("👍🏽", CHARS)));
  assert.equal(showsEnd("> ", endOf("👍🏽", CHARS)), false);
  assert.equal(endsWith("> Overwrite? (y/n)", endOf("No. Do not (y/n)", CHARS)), false);
});
