import assert from "node:assert/strict";
import { APICallError } from "ai";
import { test } from "node:test";
import { fromPlain, recordedFailure, restoredFailure, toPlain } from "../../src/adapters/ai/durable-model.ts";

test("J5 times and files in a model's reply come back from the journal as what they were", () => {
  const reply = {
    response: { timestamp: new Date(1_700_000_000_000) },
    content: [{ data: new Uint8Array([0, 255]) }],
    n: null,
  };
  const stored = JSON.parse(JSON.stringify(toPlain(reply))) as unknown;
  assert.deepEqual(fromPlain(stored), reply);
});

test("J5 a recorded failure of a model is known to the SDK as what it was, so that it calls again or not", () => {
  const options = {
    message: "busy",
    url: "http://x",
    requestBodyValues: {},
    statusCode: 503,
    isRetryable: true,
  };
  const stored = JSON.parse(JSON.stringify(recordedFailure(new APICallError(options)))) as ReturnType<
    typeof recordedFailure
  >;
  const restored = restoredFailure(stored);
  assert.ok(APICallError.isInstance(restored));
  assert.deepEqual([restored.message, restored.isRetryable, restored.statusCode], ["busy", true, 503]);
  assert.equal(APICallError.isInstance(restoredFailure(recordedFailure(new Error("no")))), false);
  assert.equal(restoredFailure(recordedFailure("text")).message, "text");
});
