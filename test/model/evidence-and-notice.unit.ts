import assert from "node:assert/strict";
import { test } from "node:test";
import {
  evidenceSchema,
  EXCERPT_CHARS_MAX,
  VERDICTS,
  type Evidence,
} from "../../src/model/effects/evidence.ts";
import {
  channelSpecSchema,
  COMMAND_LIMIT_MS,
  NOTICE_KINDS,
  noticeSchema,
  WEBHOOK_LIMIT_MS,
  type Notice,
} from "../../src/model/settings/notice.ts";
import type { DeliveryOutcome, Notifier } from "../../src/notify/notifier.ts";
import type { CheckOrder, Quality } from "../../src/quality/quality.ts";

const evidence: Evidence = {
  command: "npm test",
  verdict: "pass",
  exitCode: 0,
  signal: null,
  timedOut: false,
  outputBytes: 3,
  digest: "00",
  excerpt: "ok\n",
  durationMs: 1,
};

const notice: Notice = {
  id: "msg_1",
  at: 1,
  kind: "escalation",
  run: "run_1",
  title: "t",
  text: "x",
  reason: null,
  owner: null,
  command: null,
  escalation: null,
};

test("G6 evidence has one of three verdicts, and an excerpt that is bounded", () => {
  for (const verdict of VERDICTS) assert.ok(evidenceSchema.safeParse({ ...evidence, verdict }).success);
  assert.ok(!evidenceSchema.safeParse({ ...evidence, verdict: "maybe" }).success);
  assert.ok(!evidenceSchema.safeParse({ ...evidence, excerpt: "x".repeat(EXCERPT_CHARS_MAX + 1) }).success);
});

test("O3 a notice has one of the known kinds and keeps its id", () => {
  for (const kind of NOTICE_KINDS) assert.deepEqual(noticeSchema.parse({ ...notice, kind }).id, "msg_1");
  assert.ok(!noticeSchema.safeParse({ ...notice, id: "" }).success);
});

test("O3 a channel takes its limits by default, and no key that it does not know", () => {
  assert.deepEqual(channelSpecSchema.parse({ use: "command", command: ["mail"] }), {
    use: "command",
    command: ["mail"],
    limitMs: COMMAND_LIMIT_MS,
  });
  assert.deepEqual(channelSpecSchema.parse({ use: "webhook", url: "https://example.org" }), {
    use: "webhook",
    url: "https://example.org",
    allowPrivate: false,
    limitMs: WEBHOOK_LIMIT_MS,
  });
  assert.ok(!channelSpecSchema.safeParse({ use: "command", command: [] }).success);
  assert.ok(!channelSpecSchema.safeParse({ use: "command", command: ["a"], shell: true }).success);
  assert.ok(!channelSpecSchema.safeParse({ use: "webhook", url: "x", secret: "whsec_x" }).success);
  assert.ok(!channelSpecSchema.safeParse({ use: "pigeon" }).success);
});

test("G6 O3 the ports can be stood in for by a few lines", async () => {
  const order: CheckOrder = {
    key: "k",
    command: "npm test",
    cwd: "/",
    limitMs: 1,
    outputBytesMax: 1,
    env: {},
  };
  const quality: Quality = { check: async ({ command }) => ({ ...evidence, command }) };
  const failed: DeliveryOutcome = { kind: "failed", text: "away", terminal: false };
  const notifier: Notifier = { deliver: async () => failed };
  assert.deepEqual(await quality.check(order, AbortSignal.timeout(1_000)), evidence);
  assert.deepEqual(
    await notifier.deliver({ ...notice, link: null }, { use: "command", command: ["x"], limitMs: 1 }),
    failed,
  );
});
