import assert from "node:assert/strict";
import { test } from "node:test";
import { webhookMessage } from "../../src/notify/webhook-channel.ts";
import { sampleNotice } from "./sample-notice.ts";

test("O3 each try posts the same bytes, in whichever order the notice was read", () => {
  const notice = sampleNotice;
  const read = Object.fromEntries(Object.entries(notice).reverse()) as unknown as typeof notice;
  assert.notEqual(JSON.stringify(read), JSON.stringify(notice));
  assert.equal(webhookMessage(read), webhookMessage(notice));
});
