import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { excerpt } from "../../../src/views/text/excerpt.ts";

/** What it is meant to be, put simply and slowly. */
function meant(text: string): string {
  const line = text.slice(0, 480).replaceAll(/\s+/g, " ").trim();
  return line.length <= 120 ? line : `${line.slice(0, 120)}…`;
}

test("L1 evidence quotes the first words of a text on one line, no matter what blanks it has", () => {
  assert.equal(excerpt("  a\n\tb  c "), "a b c");
  assert.equal(excerpt("x".repeat(121)), `${"x".repeat(120)}…`);
  const blanks = fc.constantFrom(
    " ",
    "  ",
    "\n",
    "\t \r\n",
    "\u00a0",
    "\u2003",
    "\u3000",
    "\ufeff",
    "\u001c",
    "\u0085",
  );
  const words = fc.oneof(blanks, fc.string({ maxLength: 60 }), fc.constantFrom("漢字", "é", "word", "12"));
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), (parts) => {
      const text = parts.join("");
      assert.equal(excerpt(text), meant(text));
    }),
    { numRuns: 500 },
  );
});
