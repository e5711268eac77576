import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMessages } from "../../../src/loop/repair/check-messages.ts";
import { repairMessages } from "../../../src/loop/repair/repair-messages.ts";
import type { MESSAGE_SHAPES } from "../../../src/loop/repair/repair.ts";
import type { MessageRule } from "../../../src/loop/repair/problem.ts";
import { isFault } from "../../../src/model/fault.ts";
import { AI_SDK, ANTHROPIC, CHAT, RESPONSES } from "./repair-cases.ts";

test("J7 a history of nothing but text means the same to every vendor, and comes back as it is", () => {
  const history = [
    { role: "user", content: "hello" },
    { role: "assistant", content: [{ type: "text", text: "hi" }] },
  ];
  assert.deepEqual(repairMessages(history), { messages: history, repairs: [] });
  assert.deepEqual(repairMessages([]), { messages: [], repairs: [] });
});

test("J7 a history whose shape cannot be determined is refused with what to do", () => {
  const unclear: readonly [readonly unknown[], RegExp][] = [
    [
      [...ANTHROPIC.dangling, ...CHAT.dangling],
      /look like anthropic and like openai-chat.*Pass the option shape/,
    ],
    [
      [
        { role: "user", content: "hello" },
        { role: "assistant", content: "" },
      ],
      /message 1 is not a role with text/,
    ],
    [[null], /message 0 is not a role with text/],
  ];
  for (const [history, words] of unclear)
    assert.throws(
      () => repairMessages(history),
      (error) => isFault(error, "usage") && words.test(error.message),
    );
});

test("J7 the strict checker names each breach of the vendors' rules", () => {
  const breaches: readonly [(typeof MESSAGE_SHAPES)[number], readonly unknown[], readonly MessageRule[]][] = [
    ["anthropic", ANTHROPIC.dangling, ["call-unanswered"]],
    ["anthropic", ANTHROPIC.interjected, ["call-unanswered", "result-orphaned"]],
    ["anthropic", [{ role: "user", content: [] }, 7], ["empty-content", "not-a-message"]],
    ["anthropic", [{ role: "assistant", content: "so " }], ["trailing-space"]],
    ["openai-chat", CHAT.dangling, ["call-unanswered"]],
    ["openai-chat", CHAT.interjected, ["call-unanswered", "result-orphaned"]],
    ["openai-chat", [{ role: "assistant", content: "", tool_calls: [] }], ["calls-empty", "empty-content"]],
    ["openai-responses", RESPONSES.dangling, ["call-unanswered", "call-unanswered"]],
    ["openai-responses", RESPONSES.early, ["reasoning-stranded", "result-orphaned", "call-unanswered"]],
    ["ai-sdk", AI_SDK.dangling, ["call-unanswered"]],
    ["ai-sdk", AI_SDK.interjected, ["call-unanswered", "result-orphaned"]],
    ["ai-sdk", [{ id: "m", role: "assistant", parts: [] }], ["empty-content"]],
  ];
  for (const [shape, history, rules] of breaches)
    assert.deepEqual(
      checkMessages(history, shape).map((problem) => problem.rule),
      rules,
    );
});
