import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMessages } from "../../../src/loop/repair/check-messages.ts";
import { repairMessages } from "../../../src/loop/repair/repair-messages.ts";

/** The history as it is given back, which no rule of the vendor refuses and which is not repaired further. */
function repaired(messages: readonly object[], known?: (id: string) => { result: unknown } | undefined) {
  const first = repairMessages(messages, known === undefined ? {} : { known });
  assert.deepEqual(checkMessages(first.messages), []);
  assert.deepEqual(repairMessages(first.messages).repairs, []);
  return { messages: first.messages, kinds: first.repairs.map(({ kind }) => kind) };
}
const rules = (messages: readonly object[]) => checkMessages(messages).map(({ rule }) => rule);

test("J7 Anthropic: ids of another vendor's alphabet are made valid, on the call and on its result, and stay apart", () => {
  const use = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
  const result = (id: string, content = "ok") => ({ type: "tool_result", tool_use_id: id, content });
  const damaged = [
    { role: "assistant", content: [use("call.1:x"), use("call_1_x"), use("call 1 x")] },
    { role: "user", content: [result("call.1:x", "one"), result("call_1_x", "two")] },
  ];
  assert.deepEqual(rules(damaged), ["call-id-invalid", "call-id-invalid", "call-unanswered"]);
  const asked: string[] = [];
  const { messages, kinds } = repaired(damaged, (id) => {
    asked.push(id);
    return { result: `known ${id}` };
  });
  assert.deepEqual(messages, [
    { role: "assistant", content: [use("call_1_x-2"), use("call_1_x"), use("call_1_x-3")] },
    {
      role: "user",
      content: [
        result("call_1_x-2", "one"),
        result("call_1_x", "two"),
        result("call_1_x-3", "known call 1 x"),
      ],
    },
  ]);
  assert.deepEqual(kinds, ["call-id-made-valid", "call-id-made-valid", "answered-from-journal"]);
  assert.deepEqual(asked, ["call 1 x"], "the journal knows the call under its own id");
});

test("J7 OpenAI: ids that are too long are cut, and stay apart", () => {
  const [one, two] = [`${"x".repeat(60)}1`, `${"x".repeat(60)}2`];
  const call = (id: string) => ({ id, type: "function", function: { name: "read", arguments: "{}" } });
  const damaged = [
    { role: "assistant", content: null, tool_calls: [call(one), call(two)] },
    { role: "tool", tool_call_id: one, content: "1" },
    { role: "tool", tool_call_id: two, content: "2" },
  ];
  assert.deepEqual(rules(damaged), ["call-id-invalid", "call-id-invalid"]);
  const { messages } = repaired(damaged);
  assert.deepEqual(
    messages.slice(1).map((message) => [(message as { tool_call_id: string }).tool_call_id.length]),
    [[40], [40]],
  );
  const item = { type: "function_call", call_id: "y".repeat(65), name: "read", arguments: "{}" };
  const output = { type: "function_call_output", call_id: item.call_id, output: "1" };
  assert.deepEqual(rules([item, output]), ["call-id-invalid"]);
  assert.deepEqual(repaired([item, output]).kinds, ["call-id-made-valid"]);
});

test("J7 OpenAI Responses: a local shell call without output is answered from the journal or marked interrupted", () => {
  const call = {
    type: "local_shell_call",
    id: "lsh_1",
    call_id: "c1",
    action: { type: "exec", command: ["ls"] },
  };
  assert.deepEqual(rules([call]), ["call-unanswered"]);
  const { messages, kinds } = repaired([call]);
  assert.deepEqual(kinds, ["marked-interrupted"]);
  const [, output] = messages as Record<string, unknown>[];
  assert.deepEqual(
    [output?.["type"], output?.["id"], output?.["call_id"], output?.["status"]],
    ["local_shell_call_output", "c1", "c1", "incomplete"],
  );
  assert.deepEqual(repaired([call], () => ({ result: "a.txt" })).messages[1], {
    type: "local_shell_call_output",
    id: "c1",
    call_id: "c1",
    output: "a.txt",
    status: "completed",
  });
  // An output that names its call by its own id alone is that call's output.
  const alone = { type: "local_shell_call_output", id: "c1", output: "a.txt" };
  assert.deepEqual(rules([call, alone]), []);
  assert.deepEqual(repaired([call, alone]).messages, [call, alone]);
});

test("J7 OpenAI Responses: a call of the vendor's own tools that was cut is removed, with the reasoning that led to it", () => {
  const user = { role: "user", content: "find it" };
  const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
  const cut = { type: "web_search_call", id: "ws_1", status: "in_progress" };
  const done = { type: "web_search_call", id: "ws_2", status: "completed" };
  assert.deepEqual(rules([user, reasoning, cut]), ["call-unanswered"]);
  const { messages, kinds } = repaired([user, done, reasoning, cut]);
  assert.deepEqual(messages, [user, done]);
  assert.deepEqual(kinds, ["unfinished-call-removed", "unfinished-reasoning-removed"]);
});

test("J7 histories are checked as they are repaired: with options, with a shape alone, or with neither", () => {
  const open = [{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] }];
  const rule = ["call-unanswered"];
  assert.deepEqual(rules(open), rule);
  assert.deepEqual(
    checkMessages(open, { shape: "anthropic" }).map((one) => one.rule),
    rule,
  );
  assert.deepEqual(
    checkMessages(open, "anthropic").map((one) => one.rule),
    rule,
  );
  assert.deepEqual(checkMessages([{ role: "user", content: "hello" }]), []);
});
