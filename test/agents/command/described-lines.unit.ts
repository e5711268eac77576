import assert from "node:assert/strict";
import { test } from "node:test";
import { describedLines } from "../../../src/agents/command/described-lines.ts";
import { placeTask } from "../../../src/agents/command/place-task.ts";
import { signalRuleSchema } from "../../../src/model/agent/command-signals.ts";
import { agentSpecSchema } from "../../../src/model/flow/flow.ts";
import { countsOf } from "../../../src/model/agent/what-counts.ts";

const RULES = [
  { is: "session", id: "session_id" },
  { is: "message", when: { type: "text" }, text: "content.0.text" },
  { is: "call", when: { type: "tool" }, name: "tool.name", id: "tool.id", args: "tool.args" },
  { is: "result", when: { type: "tool_result" }, id: "id", ok: "status", text: "output" },
  { is: "usage", tokensIn: "usage.in", cachedIn: "usage.cached", tokensOut: "usage.out", model: "model" },
  { is: "context", used: "usage.in", size: 1_000 },
  { is: "error", when: { type: "error" }, text: "message", status: "status" },
  { is: "done", when: { type: "end" }, ok: "status" },
].map((rule) => signalRuleSchema.parse(rule));

const lines = (resumes = true): ReturnType<typeof describedLines> =>
  describedLines(RULES, { startedAt: 0, resumes });

test("A11 A7 lines that a user described become signals, all rules of a line in their order", () => {
  const talk = lines();
  const say = { type: "text", session_id: "s-1", content: [{ text: "I look." }] };
  assert.deepEqual(talk.event({ ...say, usage: { in: 250, cached: 50, out: 5 }, model: "m" }), [
    { kind: "ready" },
    { kind: "conversation", id: "s-1" },
    { kind: "message", from: "agent", text: "I look." },
    { kind: "usage", tokensIn: 250, cachedIn: 50, tokensOut: 5, model: "m" },
    { kind: "context", usedPct: 25 },
  ]);
  assert.deepEqual(
    talk.event({ type: "tool", session_id: "s-1", tool: { name: "sh", id: 7, args: { c: 1 } } }),
    [{ kind: "tool_call", callId: "7", name: "sh", args: '{"c":1}' }],
  );
  assert.deepEqual(talk.event({ type: "tool_result", id: "7", status: "error", output: "no" }), [
    { kind: "tool_result", callId: "7", ok: false, text: "no" },
  ]);
  // What it said before its call is no answer.
  assert.deepEqual(talk.event({ type: "end", status: "success" }), []);
  talk.event({ type: "text", content: [{ text: "It is written." }] });
  assert.deepEqual(talk.event({ type: "end", status: "success" }), [
    { kind: "result", ok: true, text: "It is written." },
  ]);
});

test("A11 L4 an error of the provider in a described line is named as what it is, and nothing is claimed after it", () => {
  const talk = lines();
  const limit = talk.event({ type: "error", message: "Too many requests, retry after 30s", status: 429 });
  assert.deepEqual(
    limit?.map(({ kind }) => kind),
    ["ready", "rate_limit", "error"],
  );
  talk.event({ type: "text", content: [{ text: "Bye." }] });
  assert.deepEqual(talk.event({ type: "end", status: "success" }), [
    { kind: "result", ok: false, text: "Too many requests, retry after 30s" },
  ]);
});

test("A7 A11 lines of any other shape are unknown, and fields are never looked for in prototypes", () => {
  const talk = lines();
  talk.event({ type: "text", content: [{ text: "x" }] });
  for (const event of [{}, { type: "text" }, { type: "text", content: null }, { usage: { in: "many" } }])
    assert.equal(talk.event(event), null, JSON.stringify(event));
  const odd = describedLines([signalRuleSchema.parse({ is: "message", text: "constructor.name" })], {
    startedAt: 0,
    resumes: false,
  });
  assert.deepEqual(
    odd.event({})?.map(({ kind }) => kind),
    ["ready", "unknown"],
  );
});

test("A6 A11 a conversation is named only where the configuration says how it continues", () => {
  const kinds = lines(false)
    .event({ session_id: "s-1" })
    ?.map(({ kind }) => kind);
  assert.deepEqual(kinds, ["ready"]);
});

test("A1 A8 the task stands where {task} does, once and literally, else it goes to stdin", () => {
  const spec = agentSpecSchema.parse({
    use: "command",
    command: ["agent", "{resume}", "--ask={task}"],
    args: ["--model", "{model}"],
    resume: ["--continue", "{session}"],
  });
  const task = "say {model} and {task} $(id)";
  assert.deepEqual(placeTask(spec, { task, model: "m", session: undefined }), {
    command: ["agent", `--ask=${task}`, "--model", "m"],
    onStdin: false,
  });
  assert.deepEqual(placeTask(spec, { task: "go on", model: "m", session: "s-1" })?.command, [
    ...["agent", "--continue", "s-1", "--ask=go on", "--model", "m"],
  ]);
  const reads = placeTask(
    { use: "command", command: ["agent", "-"] },
    { task, model: "", session: undefined },
  );
  assert.deepEqual(reads, { command: ["agent", "-"], onStdin: true });
});

test("G9 A11 what can be counted of a program is what its lines are described to report", () => {
  const counts = countsOf({ use: "command", signals: RULES });
  assert.deepEqual(
    [counts.tokens, counts.usd, counts.usdBy, counts.turns, counts.context],
    ["live", "live", "prices", "live", "live"],
  );
  const text = countsOf({ use: "command" });
  assert.deepEqual([text.tokens, text.usd, text.turns, text.time], ["none", "none", "none", "live"]);
});
