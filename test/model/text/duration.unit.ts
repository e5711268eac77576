import assert from "node:assert/strict";
import { test } from "node:test";
import { durationMs, durationText } from "../../../src/model/text/duration.ts";

test("G10 a time is reported to the tenth below a minute, to the second above, and is read back as no less", () => {
  const texts = new Map([
    [0, "0ms"],
    [12.3, "13ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [1_500, "1.5s"],
    [1_501, "1.6s"],
    [59_900, "59.9s"],
    [59_901, "1m"],
    [60_001, "61s"],
    [90_000, "90s"],
    [120_000, "2m"],
    [7_200_000, "2h"],
    [86_400_000, "1d"],
  ]);
  for (const [ms, text] of texts) {
    assert.equal(durationText(ms), text);
    assert.ok(durationMs(text) >= ms, text);
  }
});
