import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonText, printable, printableLine } from "../../../src/model/text/printable.ts";
import { columnsOf, fitColumns } from "../../../src/cli/print/table.ts";

test("O1 control characters in an agent's words are shown and do nothing", () => {
  assert.equal(printable("a\u001b[31mred\u0007\r\u009b2J\u007f"), "a␛[31mred␇␍\\u{9b}2J␡");
  assert.equal(printable("line\n\ttab"), "line\n\ttab");
  assert.equal(printable("safe \u202egnp.exe\u2066x"), "safe \\u{202e}gnp.exe\\u{2066}x");
  assert.equal(printable("half \ud800 pair"), "half \ufffd pair");
});

test("O1 characters without a width are shown, joiners stay where emoji and scripts need them", () => {
  assert.equal(
    printable("pay\u200bpal pay\u200dpal soft\u00adhyphen"),
    "pay\\u{200b}pal pay\\u{200d}pal soft\\u{ad}hyphen",
  );
  assert.equal(printable("\u{e0041}\u2060\u3164"), "\\u{e0041}\\u{2060}\\u{3164}");
  for (const whole of ["👩‍👩‍👧‍👦 👍🏽 ❤️‍🔥", "می‌خواهم", "क्‍ष", "e\u0301 日本語"])
    assert.equal(printable(whole), whole);
});

test("O1 text for one line is one line, cut where it is too long", () => {
  assert.equal(printableLine(" a\n b\tc "), "a b c");
  assert.equal(printableLine("abcdef", 4), "abc…");
  assert.equal(printableLine("äöü", 3), "äöü");
});

test("O1 a status line fits the terminal, wide characters included", () => {
  assert.equal(columnsOf("日本"), 4);
  assert.equal(fitColumns("日本語", 5), "日本…");
  assert.equal(fitColumns("abc", 3), "abc");
});

test("O1 JSON output holds no character that a terminal acts on, and reads back the same", () => {
  const value = { text: "\u001b[2J \u009b \u202e \u2028 \u007f ok" };
  const text = jsonText(value);
  // eslint-disable-next-line no-control-regex -- that there is none is the point
  assert.doesNotMatch(text, /[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
  assert.deepEqual(JSON.parse(text), value);
});
