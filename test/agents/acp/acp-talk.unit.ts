import assert from "node:assert/strict";
import { test } from "node:test";
import { AcpTalk, type TalkPast } from "../../../src/agents/acp/acp-talk.ts";
import { signalSchema, type Signal } from "../../../src/model/agent/signals.ts";

const PAST: TalkPast = {
  resume: undefined,
  startedAt: 0,
  replayedTo: () => undefined,
  wasClosed: () => false,
};
const say = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message });
const update = (update: object): string =>
  say({ method: "session/update", params: { sessionId: "s", update } });

/** One of each thing that agents say. */
const LINES: readonly string[] = [
  say({ id: "hf:initialize", result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }),
  say({ id: "hf:new", result: { sessionId: "s", modes: { currentModeId: "default" } } }),
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "I'll create it." } }),
  update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm." } }),
  update({ sessionUpdate: "tool_call", toolCallId: "a", title: "Write", status: "pending", rawInput: {} }),
  update({ sessionUpdate: "tool_call_update", toolCallId: "a", rawInput: { file: "/a", content: "b" } }),
  update({
    sessionUpdate: "tool_call_update",
    toolCallId: "a",
    status: "completed",
    rawOutput: { output: "ok" },
  }),
  update({
    sessionUpdate: "plan",
    entries: [{ content: "first", status: "completed" }, { content: "second" }],
  }),
  update({
    sessionUpdate: "usage_update",
    used: 20_011,
    size: 1_000_000,
    cost: { amount: 0.3, currency: "USD" },
  }),
  update({
    sessionUpdate: "session_info_update",
    _meta: { codex: { error: { message: "Reconnecting 4/5" } } },
  }),
  say({
    id: 7,
    method: "session/request_permission",
    params: { options: [{ optionId: "x", kind: "allow_once" }], toolCall: { title: "rm" } },
  }),
  say({ id: 8, method: "fs/read_text_file", params: { path: "/a" } }),
  say({
    id: "hf:prompt:task",
    result: { stopReason: "end_turn", usage: { inputTokens: 5, outputTokens: 2 } },
  }),
  say({
    id: "hf:prompt:b",
    error: {
      code: -32_603,
      message: "Internal error",
      data: { message: "limit", codexErrorInfo: "usageLimitExceeded" },
    },
  }),
];

const receive = (talk: AcpTalk, text: string, end: number): readonly Signal[] =>
  talk.read({ text, kind: "whole", end }, "out");

/** A small generator of numbers from a seed, the same on every machine. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const VALUES = [
  "null",
  "-1",
  "1e999",
  '""',
  "[]",
  "{}",
  "true",
  `"${"x".repeat(5_000)}"`,
  '"\\ud800"',
  "9007199254740993",
];

function mutate(line: string, roll: (below: number) => number): string {
  const at = roll(line.length);
  const other = LINES[roll(LINES.length)] ?? "";
  switch (roll(6)) {
    case 0:
      return line.slice(0, at);
    case 1:
      return line.slice(0, at) + String.fromCharCode(roll(65_536)) + line.slice(at + 1);
    case 2:
      return line.slice(0, at) + other.slice(roll(other.length));
    case 3:
      return line.replaceAll(/"[^"]*"(?=[,}\]])|\d+(?=[,}])/g, (found) =>
        roll(4) === 0 ? (VALUES[roll(VALUES.length)] ?? found) : found,
      );
    case 4:
      return line.replace(/"([a-zA-Z]+)":/, '"__proto__":');
    default:
      return line + line;
  }
}

for (const seed of [1, 20_261_115])
  test(`A7 10,000 lines that are almost right never throw, make valid signals and are not hoarded (seed ${String(seed)})`, () => {
    const roll = dice(seed);
    const talk = new AcpTalk(PAST);
    for (let end = 1; end <= 10_000; end += 1) {
      const line = mutate(LINES[roll(LINES.length)] ?? "", roll);
      const signals = receive(talk, line, end);
      assert.ok(signals.length <= 4, line);
      for (const signal of signals) signalSchema.parse(signal);
    }
    assert.ok(talk.asks.size <= 1_000 && talk.unserved.size <= 1_000 && talk.answered.size <= 1_000);
  });

test("A7 what is said of lines depends on the lines alone: received in two parts, it is the same", () => {
  const whole = new AcpTalk(PAST);
  const all = LINES.flatMap((line, index) => receive(whole, line, index + 1));
  for (let cut = 0; cut <= LINES.length; cut += 1) {
    const talk = new AcpTalk(PAST);
    const before = LINES.slice(0, cut).flatMap((line, index) => receive(talk, line, index + 1));
    const again = new AcpTalk(PAST);
    for (const [index, line] of LINES.slice(0, cut).entries()) receive(again, line, index + 1);
    const after = LINES.slice(cut).flatMap((line, index) => receive(again, line, cut + index + 1));
    assert.deepEqual([...before, ...after], all);
  }
});

test("A1 an agent that speaks another version of the protocol is a final error that names it", () => {
  const talk = new AcpTalk(PAST);
  const [error] = receive(talk, say({ id: "hf:initialize", result: { protocolVersion: 9 } }), 1);
  assert.ok(error?.kind === "error" && error.terminal && error.text.includes("version 9"));
  assert.equal(talk.broken, true);
});

test("A7 A9 a call that is announced only by the request for its permission is reported from the request on, once", () => {
  const talk = new AcpTalk(PAST);
  // As one agent tells a call that needs leave: no `tool_call`, only the request, and updates after the answer.
  const toolCall = {
    toolCallId: "q-1",
    status: "pending",
    title: "run_shell_command: make",
    rawInput: { command: "make" },
    kind: "execute",
  };
  const options = [{ optionId: "once", kind: "allow_once" }];
  const asked = receive(
    talk,
    say({ id: 3, method: "session/request_permission", params: { options, toolCall } }),
    1,
  );
  assert.deepEqual(
    asked.map((signal) => [signal.kind, "callId" in signal ? signal.callId : undefined]),
    [
      ["tool_call", "q-1"],
      ["permission", "q-1"],
    ],
  );
  const working = update({ sessionUpdate: "tool_call_update", toolCallId: "q-1", status: "in_progress" });
  assert.deepEqual(receive(talk, working, 2), []);
  const over = { sessionUpdate: "tool_call_update", toolCallId: "q-1", status: "completed" };
  const [result, ...more] = receive(talk, update({ ...over, rawOutput: { output: "built" } }), 3);
  assert.ok(result?.kind === "tool_result" && result.callId === "q-1" && result.ok);
  assert.deepEqual(more, []);
});

/** What is claimed of a turn in which these pieces came, each of the message that is named before it. */
function claimOf(...pieces: readonly (readonly [messageId: string | undefined, text: string])[]): string {
  const talk = new AcpTalk(PAST);
  const lines = [
    ...LINES.slice(0, 2),
    ...pieces.map(([messageId, text]) =>
      update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } }),
    ),
    say({ id: "hf:prompt:task", result: { stopReason: "end_turn" } }),
  ];
  const signals = lines.flatMap((text) => [...talk.read({ kind: "whole", text, end: 0 }, "out")]);
  const claim = signals.find(({ kind }) => kind === "result");
  return claim?.kind === "result" ? claim.text : "";
}

test("A11 B4 a message of its own is not glued to the one before it", () => {
  const error = "Network error: Stream decode error";
  assert.equal(claimOf(["a", "I'll create it."], ["b", error]), `I'll create it.\n\n${error}`);
  assert.equal(claimOf(["a", "I'll "], ["a", "create it."]), "I'll create it.");
  assert.equal(claimOf([undefined, "I'll create it."], [undefined, " Done."]), "I'll create it. Done.");
  assert.equal(claimOf(["a", "I'll "], ["b", "create it."]), "I'll create it.");
});
