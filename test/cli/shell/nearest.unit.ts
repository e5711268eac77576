import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean, nearest } from "../../../src/cli/shell/nearest.ts";

test("P4 the nearest word is found through a slip, a swap, a case and a beginning", () => {
  const words = ["attempts", "backoff", "startup", "supervisor"];
  assert.deepEqual(nearest("atempts", words), ["attempts"]);
  assert.deepEqual(nearest("bakcoff", words), ["backoff"]);
  assert.deepEqual(nearest("StartUp", words), ["startup"]);
  assert.deepEqual(nearest("super", words), ["supervisor"]);
});

test("P4 a word that is near to nothing gets no suggestion, however long it is", () => {
  assert.deepEqual(nearest("zebra", ["attempts", "backoff"]), []);
  assert.equal(didYouMean("x".repeat(100_000), ["attempts"]), "");
  assert.equal(didYouMean("retr", ["retry"]), '; did you mean "retry"?');
});
