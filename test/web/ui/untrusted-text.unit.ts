import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleLine, visibleText } from "../../../web/src/ui/untrusted-text.ts";

test("O2 marks that are heaped on one letter, and would be drawn over other lines, are left out", () => {
  const heap = `e${"\u0301\u0302\u0303".repeat(40)}`;
  assert.equal(visibleText(`${heap} end`), "e\u0301\u0302\u0303\u0301 end");
  assert.equal(visibleLine(heap), "e\u0301\u0302\u0303\u0301");
  assert.equal(
    visibleText("Việt Nam, שָׁלוֹם, हिन्दी"),
    "Việt Nam, שָׁלוֹם, हिन्दी",
    "what languages write stays",
  );
});

test("O2 sequences of terminals are removed, and turned or hidden text is made visible", () => {
  assert.equal(visibleText("\u001b[31mred\u001b[0m \u001b]0;title\u0007plain"), "red plain");
  assert.match(visibleText("a\u202eb"), /^a\\u\{202e\}b$/);
});
