import assert from "node:assert/strict";
import { createReadStream, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { decodeStored } from "../../../src/journal/chain.ts";
import { openExport } from "../../../src/journal/read-export.ts";
import { BLOCKED_REASONS } from "../../../src/model/requests/blocked.ts";
import type { Recorded, RunEvent } from "../../../src/model/events/events.ts";
import { RUN_STATUSES } from "../../../src/model/state/run-status.ts";
import { whyView, type WhyView } from "../../../src/views/why/why.ts";
import { blockedBy, IN_STATE } from "../../decide/states.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { walkBack } from "../audit-walk.ts";

/** A journal of a new run, one second between its events. */
const journalOf = (...events: readonly RunEvent[]): Recorded[] =>
  [{ type: "RunCreated", data: EXAMPLES.RunCreated } as RunEvent, ...events].map((event, index) => ({
    ...event,
    run: "run_1",
    seq: index + 1,
    at: index * 1_000,
    hash: "",
  }));

/** Every link is an event of the journal, none is later than the state, and causes come before effects. */
function assertSound(view: WhyView, events: readonly Recorded[]): void {
  const types = new Map(events.map(({ seq, type }) => [seq, type]));
  const reported = new Set(view.chain.map(({ seq }) => seq));
  assert.equal(reported.size, view.chain.length, "no link twice");
  for (const { seq, type, because } of view.chain) {
    assert.ok(seq <= view.at);
    assert.equal(types.get(seq), type);
    for (const cause of because) {
      assert.ok(cause < seq, `${String(cause)} is told as a cause of ${String(seq)}`);
      assert.ok(view.leftOut > 0 || reported.has(cause), `the cause ${String(cause)} is not told`);
    }
  }
  assert.deepEqual(
    view.chain.map(({ seq }) => seq),
    view.chain.map(({ seq }) => seq).toSorted((a, b) => a - b),
  );
}

const why = (events: readonly Recorded[]): WhyView => {
  const view = whyView(events, null);
  assertSound(view, events);
  return view;
};

const words = ({ state, chain, now }: WhyView): string =>
  [state, ...chain.flatMap(({ text, evidence }) => [text, ...evidence]), ...now].join("\n");

const failure = { class: "agent_failed", text: "exit 1", fingerprint: "exit #" } as const;
const started: RunEvent = { type: "RunStarted", data: {} };
const attempt = (number: number): RunEvent => ({
  type: "AttemptStarted",
  data: { ...EXAMPLES.AttemptStarted, attempt: `work#${String(number)}`, number },
});
const received = (number: number, ...signals: (typeof EXAMPLES.SignalsHeard)["signals"]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt: `work#${String(number)}`, cursor: "1", signals },
});
const ended = (number: number, more: object = { outcome: "crashed", charged: true, failure }): RunEvent => ({
  type: "AttemptEnded",
  data: { attempt: `work#${String(number)}`, why: "exit 1", ...more } as typeof EXAMPLES.AttemptEnded,
});

for (const status of RUN_STATUSES)
  test(`G13 why a run is ${status} is described from its events`, () => {
    const view = why(journalOf(...IN_STATE[status]));
    assert.equal(view.status, status);
    assert.match(view.state, status === "awaiting_approval" ? /awaiting approval/ : /^run_1 is /);
    assert.ok(view.chain.length > 0);
  });

for (const reason of BLOCKED_REASONS)
  test(`G13 why a run is blocked as ${reason} leads to what was seen, or says that it is not recorded`, () => {
    const raised = received(1, { kind: "blocked", reason, text: "it will not go on" });
    const view = why(journalOf(started, attempt(1), raised, blockedBy({ reason, detail: "stop" })));
    assert.match(view.state, new RegExp(`as ${reason}: stop`));
    if (reason !== "budget_exhausted") assert.match(words(view), /it will not go on/);
    const bare = why(journalOf(started, blockedBy({ reason, detail: "stop" })));
    // A budget and a limit of time are settings of the run, which is where it began.
    if (reason !== "budget_exhausted" && reason !== "timeout")
      assert.match(words(bare), /what led to it is not recorded/);
    assert.notEqual(view.next, null);
  });

test("G13 retries_exhausted leads back over each failure to exit codes, errors and their class, and the counts", () => {
  const error = { kind: "error", text: "529 overloaded", terminal: false, status: 529 } as const;
  const exit = { kind: "exit", how: "code", code: 1 } as const;
  const events = journalOf(
    started,
    attempt(1),
    received(1, error, exit),
    ended(1),
    { type: "StepRetryScheduled", data: { step: "work", notBefore: 9_000 } },
    attempt(2),
    received(2, exit),
    ended(2),
    { type: "StepFailed", data: { step: "work", failure } },
    blockedBy({ reason: "retries_exhausted", detail: "twice" }),
  );
  const view = why(events);
  const text = words(view);
  for (const seen of [
    /exit code 1/,
    /529 overloaded \(status 529, class transient\)/,
    /2 of 3 attempts are used/,
    /the same failure 2 times in a row: exit #/,
  ])
    assert.match(text, seen);
  const blocked = view.chain.at(-1);
  assert.deepEqual([blocked?.type, blocked?.because], ["RunBlocked", [10]]);
  assert.deepEqual(view.chain.find(({ seq }) => seq === 10)?.because, [5, 9]);
  assert.deepEqual(view.chain[0]?.type, "RunCreated");
});

const evidence = {
  command: "npm test",
  verdict: "fail",
  exitCode: 1,
  signal: null,
  timedOut: false,
  outputBytes: 11,
  digest: "abcdef0123456789",
  excerpt: "1 of 2 fail\n",
  durationMs: 1_200,
} as const;

test("G13 failed checks are reported with the command, its exit code, digest and output", () => {
  const check = { ...EXAMPLES.EffectIntended, key: "work#1/RunCheck" };
  const events = journalOf(
    started,
    attempt(1),
    received(1, { kind: "exit", how: "code", code: 0 }),
    ended(1, { outcome: "succeeded", charged: false }),
    {
      type: "EffectIntended",
      data: {
        key: check.key,
        effect: {
          kind: "RunCheck",
          attempt: "work#1",
          step: "work",
          command: "npm test",
          cwd: "/",
          limitMs: 1,
          outputBytesMax: 1,
        },
      },
    },
    { type: "EffectSettled", data: { key: check.key, outcome: { kind: "done", evidence } } },
    { type: "StepChecked", data: { step: "work", attempt: "work#1", verdict: "fail", feedback: "no" } },
    { type: "StepFailed", data: { step: "work", failure: { ...failure, class: "check_failed" } } },
    blockedBy({ reason: "retries_exhausted" }),
  );
  const text = words(why(events));
  for (const seen of [
    /`npm test` ended with exit code 1 after 1\.2 s/,
    /sha256 abcdef012345…/,
    /\| 1 of 2 fail/,
  ])
    assert.match(text, seen);
});

test("G13 a pause is described with who asked for it, and a completed run with what made it so", () => {
  const asked: RunEvent = {
    type: "RequestHeard",
    data: { requestId: "q", request: { kind: "pause" }, by: "ada" },
  };
  const paused = why(
    journalOf(
      started,
      asked,
      { type: "RunStopping", data: { to: "paused", stop: "operator" } },
      {
        type: "RequestAnswered",
        data: { requestId: "q", answer: { kind: "done", text: "pausing" } },
      },
      { type: "RunPaused", data: { stop: "operator" } },
    ),
  );
  assert.match(words(paused), /asked by ada/);
  const exit = { kind: "exit", how: "code", code: 0 } as const;
  const completed = why(
    journalOf(
      started,
      attempt(1),
      received(1, { kind: "result", ok: true, text: "all mended" }, exit),
      ended(1, { outcome: "succeeded", charged: false }),
      { type: "StepSucceeded", data: { step: "work", attempt: "work#1" } },
      { type: "RunCompleted", data: {} },
    ),
  );
  assert.match(words(completed), /claims success: all mended\nexit code 0/);
});

test("G13 a running run is described with what it does, since when, and what is waited for", () => {
  const view = why(journalOf(started, attempt(1), received(1, { kind: "ready" })));
  assert.match(view.now[0] ?? "", /step work: attempt 1 runs with dev since .*last signal .*may take until/);
});

test("G13 who was notified of a block, and who was not, is part of the chain", () => {
  const key = `${EXAMPLES.NoticeQueued.notice.id}/Notify`;
  const view = why(
    journalOf(
      started,
      blockedBy({}),
      { type: "EscalationRaised", data: EXAMPLES.EscalationRaised },
      { type: "NoticeQueued", data: EXAMPLES.NoticeQueued },
      {
        type: "EffectIntended",
        data: {
          key,
          effect: {
            kind: "Notify",
            id: EXAMPLES.NoticeQueued.notice.id,
            channel: { use: "command", command: ["mail"], limitMs: 1 },
            notice: EXAMPLES.NoticeQueued.notice,
          },
        },
      },
      {
        type: "EffectSettled",
        data: { key, outcome: { kind: "done", detail: "command mail: exited with 0" } },
      },
    ),
  );
  assert.match(words(view), /notice for ops[^]*exited with 0/);
});

test("G13 a workflow function's state is described by what it asked for", () => {
  const events = [
    { type: "BodyCreated", data: EXAMPLES.BodyCreated } as RunEvent,
    { type: "BodyWaited", data: { key: "wait:ok", name: "approval", until: 5_000 } } as RunEvent,
  ].map((event, index) => ({ ...event, run: "run_1", seq: index + 1, at: index, hash: "" }));
  const view = why(events);
  assert.match(view.now.join("\n"), /waits for "approval" until 1970-01-01T00:00:05/);
});

test("G13 the chain is bounded, and what lies furthest back is left out and counted", () => {
  const turns = Array.from({ length: 300 }, (_, index): RunEvent[] => [
    attempt(index + 1),
    ended(index + 1),
    { type: "StepRetryScheduled", data: { step: "work", notBefore: 0 } },
  ]).flat();
  const view = why(journalOf(started, ...turns));
  assert.ok(view.leftOut > 0);
  assert.ok((view.chain.at(-1)?.seq ?? 0) > 890);
});

const GOLDEN = path.join(import.meta.dirname, "..", "..", "golden");
for (const release of readdirSync(GOLDEN, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
  for (const file of readdirSync(path.join(GOLDEN, release.name)).filter((name) => name.endsWith(".jsonl")))
    test(`G13 J9 at every event of the golden journal ${release.name}/${file} the chain is sound`, async () => {
      const events: Recorded[] = [];
      const whole = path.join(GOLDEN, release.name, file);
      for await (const event of (await openExport(whole, createReadStream(whole))).events)
        events.push(decodeStored(event));
      for (let end = 1; end <= events.length; end += 1) why(events.slice(0, end));
      const { wrong, decisions } = walkBack(events);
      assert.deepEqual(wrong, []);
      assert.ok(decisions > 0);
    });
