import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { convertToModelMessages, modelMessageSchema, type ModelMessage, type UIMessage } from "ai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { repairMessages } from "../../../src/loop/repair/repair-messages.ts";
import { INTERRUPTED } from "../../../src/loop/repair/repair.ts";

// What a repair adds, written out in the vendors' own types: the compiler judges the form, the test that a repair
// makes exactly this. Histories keep the type they came with.

test("J7 what a repair adds to an Anthropic history has the type of the vendor's client", () => {
  const history: MessageParam[] = [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "sig" },
        { type: "tool_use", id: "a", name: "read", input: {} },
        { type: "tool_use", id: "b", name: "pay", input: {} },
      ],
    },
  ];
  const added: MessageParam = {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "a", content: "recorded" },
      { type: "tool_result", tool_use_id: "b", content: INTERRUPTED, is_error: true },
    ],
  };
  const repaired: MessageParam[] = repairMessages(history, {
    known: (id) => (id === "a" ? { result: "recorded" } : undefined),
  }).messages;
  assert.deepEqual(repaired, [...history, added]);
});

test("J7 what a repair adds to an OpenAI chat history has the type of the vendor's client", () => {
  const history: ChatCompletionMessageParam[] = [
    {
      role: "assistant",
      tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
    },
  ];
  const added: ChatCompletionMessageParam = { role: "tool", tool_call_id: "a", content: INTERRUPTED };
  const repaired: ChatCompletionMessageParam[] = repairMessages(history).messages;
  assert.deepEqual(repaired, [...history, added]);
});

test("J7 what a repair adds to an OpenAI responses history has the type of the vendor's client", () => {
  const history: ResponseInputItem[] = [
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "function_call", call_id: "a", name: "read", arguments: "{}" },
    { type: "custom_tool_call", call_id: "c", name: "shout", input: "x" },
    { type: "shell_call", call_id: "s", action: { commands: ["ls"] } },
    {
      type: "apply_patch_call",
      call_id: "p",
      status: "completed",
      operation: { type: "delete_file", path: "x" },
    },
  ];
  const added: ResponseInputItem[] = [
    { type: "function_call_output", call_id: "a", output: INTERRUPTED },
    { type: "custom_tool_call_output", call_id: "c", output: INTERRUPTED },
    {
      type: "shell_call_output",
      call_id: "s",
      output: [{ stdout: "", stderr: INTERRUPTED, outcome: { type: "exit", exit_code: 1 } }],
    },
    { type: "apply_patch_call_output", call_id: "p", status: "failed", output: INTERRUPTED },
  ];
  const repaired: ResponseInputItem[] = repairMessages(history).messages;
  assert.deepEqual(repaired, [...history, ...added]);
});

test("J7 what a repair adds to an AI SDK history has its types, and passes its own schema", () => {
  const history: ModelMessage[] = [
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "a", toolName: "read", input: {} },
        { type: "tool-call", toolCallId: "b", toolName: "pay", input: {} },
        { type: "tool-call", toolCallId: "c", toolName: "pay", input: {} },
      ],
    },
  ];
  const added: ModelMessage = {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "a", toolName: "read", output: { type: "json", value: { n: 1 } } },
      { type: "tool-result", toolCallId: "b", toolName: "pay", output: { type: "error-text", value: "no" } },
      {
        type: "tool-result",
        toolCallId: "c",
        toolName: "pay",
        output: { type: "error-text", value: INTERRUPTED },
      },
    ],
  };
  const results = new Map([
    ["a", { result: { n: 1 } }],
    ["b", { result: "no", failed: true }],
  ]);
  const repaired: ModelMessage[] = repairMessages(history, { known: (id) => results.get(id) }).messages;
  assert.deepEqual(repaired, [...history, added]);
  for (const message of repaired) assert.doesNotThrow(() => modelMessageSchema.parse(message));
});

test("J7 repaired UI messages of the AI SDK convert to a history that passes the same repair unchanged", async () => {
  const history: UIMessage[] = [
    { id: "1", role: "user", parts: [{ type: "text", text: "go" }] },
    {
      id: "2",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "tool-read", toolCallId: "a", state: "input-available", input: {} },
        {
          type: "dynamic-tool",
          toolName: "pay",
          toolCallId: "b",
          state: "input-streaming",
          input: undefined,
        },
      ],
    },
  ];
  const { messages, repairs } = repairMessages(history);
  assert.deepEqual(
    repairs.map((repair) => repair.kind),
    ["marked-interrupted", "unfinished-call-removed"],
  );
  const converted = await convertToModelMessages(messages);
  assert.deepEqual(repairMessages(converted), { messages: converted, repairs: [] });
  assert.ok(JSON.stringify(converted).includes(INTERRUPTED));
});
