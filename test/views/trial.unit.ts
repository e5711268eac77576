import assert from "node:assert/strict";
import { test } from "node:test";
import type { Signal } from "../../src/model/agent/signals.ts";
import { signalRuleSchema } from "../../src/model/agent/command-signals.ts";
import { proposeSignals } from "../../src/views/report/propose-signals.ts";
import { tokensIn, trialReport } from "../../src/views/report/trial-report.ts";

const seenOf = (signals: readonly Signal[], more: object = {}): string[] =>
  trialReport({ signals, timedOut: false, startFailure: null, ...more }).flatMap(({ what, seen }) =>
    seen ? [what] : [],
  );

test("A11 the report of a trial says of each thing whether it was recognised", () => {
  const exit: Signal = { kind: "exit", how: "code", code: 0 };
  assert.deepEqual(seenOf([]), ["start"]);
  assert.deepEqual(seenOf([], { startFailure: "no such program" }), []);
  const all: Signal[] = [
    { kind: "ready" },
    { kind: "conversation", id: "c" },
    { kind: "message", from: "agent", text: "hi" },
    { kind: "tool_call", name: "sh" },
    { kind: "usage", tokensIn: 5, tokensOut: 1 },
    { kind: "context", usedPct: 3 },
    { kind: "question", askId: "q", text: "Which?" },
    { kind: "result", ok: true, text: "done" },
    exit,
  ];
  assert.equal(seenOf(all).length, 9);
  const late = trialReport({ signals: all.slice(0, -1), timedOut: true, startFailure: null });
  assert.match(late.at(-1)?.detail ?? "", /had not ended when its time was over/);
});

test("A11 G9 tokens reported one by one and as a total are counted once", () => {
  const each: Signal[] = [
    { kind: "usage", tokensIn: 10, tokensOut: 2 },
    { kind: "usage", tokensIn: 20, tokensOut: 3 },
  ];
  assert.equal(tokensIn(each), 35);
  assert.equal(tokensIn([...each, { kind: "usage", tokensInTotal: 31, tokensOutTotal: 5 }]), 36);
});

test("A11 rules for lines that nobody described are proposed by the names of their fields, and are valid", () => {
  const rules = proposeSignals([
    { type: "init", session_id: "s" },
    {
      type: "assistant",
      message: { content: [{ type: "text", text: "hi" }], usage: { input_tokens: 5, output_tokens: 1 } },
    },
    { type: "tool_call", tool_id: "1", tool_name: "sh", parameters: { c: 1 } },
    { type: "tool_result", tool_id: "1", status: "success", output: "x" },
    { type: "error", message: "overloaded", status: 529 },
    { type: "result", status: "success" },
  ]);
  assert.deepEqual(
    rules.map((rule) => signalRuleSchema.parse(rule)),
    rules,
  );
  assert.deepEqual(
    rules.map(({ is, when }) => `${is} ${String(Object.values(when ?? {})[0] ?? "")}`),
    [
      "session ",
      "message assistant",
      "usage assistant",
      "call tool_call",
      "result tool_result",
      "error error",
      "done result",
    ],
  );
});

test("A11 lines of any shape propose only valid rules, or none", () => {
  for (const lines of [
    [],
    [{}],
    [null],
    [[1, 2]],
    [{ type: 4 }],
    [{ type: "x", text: null }],
    [{ constructor: "a" }],
  ])
    for (const rule of proposeSignals(lines)) signalRuleSchema.parse(rule);
  assert.deepEqual(proposeSignals([{ text: "hi" }]), [{ is: "message", text: "text" }]);
});
