import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import type { ModelMessage } from "ai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import type { Run } from "../../../src/loop/workflow-function.ts";
import { INTERRUPTED } from "../../../src/loop/repair/repair.ts";
import { never, until, withStore } from "../loop-bench.ts";

// A program keeps its history in a store of its own and dies while tools run: of three calls one is done, one has
// failed, one is under way.
const DONE = "call_done";
const FAILED = "call_failed";
const OPEN = "call_open";

async function repaired<Message>(
  history: readonly Message[],
): Promise<{ messages: Message[]; kinds: string[] }> {
  let result: { messages: Message[]; kinds: string[] } | null = null;
  await withStore(async ({ open }) => {
    let begun = false;
    let isFirst = true;
    const workflow = async (run: Run) =>
      run.spawn(
        "agent",
        (inner: Run) =>
          inner.loop("kernel", 0, async (state, _, it) => {
            if (!isFirst) {
              const { messages, repairs } = it.repair(history);
              result = { messages, kinds: repairs.map(({ kind }) => kind) };
              return { state, done: true };
            }
            const tools = [
              it.step(`tool/${DONE}`, () => ({ celsius: 21 })),
              it.step(`tool/${FAILED}`, () => {
                throw new Error("no such city");
              }),
            ];
            await Promise.allSettled(tools);
            await it.step(`tool/${OPEN}`, () => {
              begun = true;
              return never();
            });
            return { state, done: false };
          }),
        null,
      );
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => begun);
    await hf.close();
    await assert.rejects(pending);
    isFirst = false;
    await (await open()).run("r", workflow);
  });
  assert.ok(result !== null);
  return result;
}

const KINDS = ["answered-from-journal", "answered-from-journal", "marked-interrupted"];

test("J7 run.repair answers an Anthropic history from the steps of the scope", async () => {
  const history: MessageParam[] = [
    { role: "user", content: "weather?" },
    {
      role: "assistant",
      content: [DONE, FAILED, OPEN].map((id) => ({ type: "tool_use", id, name: "weather", input: {} })),
    },
  ];
  const { messages, kinds } = await repaired(history);
  assert.deepEqual(kinds, KINDS);
  assert.deepEqual(messages.at(-1), {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: DONE, content: '{"celsius":21}' },
      { type: "tool_result", tool_use_id: FAILED, content: "no such city", is_error: true },
      { type: "tool_result", tool_use_id: OPEN, content: INTERRUPTED, is_error: true },
    ],
  });
});

test("J7 run.repair answers an OpenAI chat history from the steps of the scope", async () => {
  const history: ChatCompletionMessageParam[] = [
    { role: "user", content: "weather?" },
    {
      role: "assistant",
      tool_calls: [DONE, FAILED, OPEN].map((id) => ({
        id,
        type: "function",
        function: { name: "weather", arguments: "{}" },
      })),
    },
  ];
  const { messages, kinds } = await repaired(history);
  assert.deepEqual(kinds, KINDS);
  assert.deepEqual(messages.slice(2), [
    { role: "tool", tool_call_id: DONE, content: '{"celsius":21}' },
    { role: "tool", tool_call_id: FAILED, content: "no such city" },
    { role: "tool", tool_call_id: OPEN, content: INTERRUPTED },
  ]);
});

test("J7 run.repair answers an OpenAI responses history from the steps of the scope", async () => {
  const history: ResponseInputItem[] = [
    { role: "user", content: "weather?" },
    ...[DONE, FAILED, OPEN].map((call_id) => ({
      type: "function_call" as const,
      call_id,
      name: "weather",
      arguments: "{}",
    })),
  ];
  const { messages, kinds } = await repaired(history);
  assert.deepEqual(kinds, KINDS);
  const outputs = messages.filter((item) => "type" in item && item.type === "function_call_output");
  assert.deepEqual(
    outputs.map((item) => ("output" in item ? item.output : null)),
    ['{"celsius":21}', "no such city", INTERRUPTED],
  );
});

test("J7 run.repair answers an AI SDK history from the steps of the scope", async () => {
  const history: ModelMessage[] = [
    { role: "user", content: "weather?" },
    {
      role: "assistant",
      content: [DONE, FAILED, OPEN].map((toolCallId) => ({
        type: "tool-call",
        toolCallId,
        toolName: "weather",
        input: {},
      })),
    },
  ];
  const { messages, kinds } = await repaired(history);
  assert.deepEqual(kinds, KINDS);
  const last = messages.at(-1);
  assert.equal(last?.role, "tool");
  assert.deepEqual(
    last?.role === "tool" ? last.content.map((part) => ("output" in part ? part.output : null)) : [],
    [
      { type: "json", value: { celsius: 21 } },
      { type: "error-text", value: "no such city" },
      { type: "error-text", value: INTERRUPTED },
    ],
  );
});

test("J7 a step that a repair gave the answer of need not be asked for, and may be", () =>
  withStore(async ({ open }) => {
    const history: MessageParam[] = [
      { role: "assistant", content: [{ type: "tool_use", id: DONE, name: "weather", input: {} }] },
    ];
    let asks = true;
    let reached = false;
    let hang = true;
    const workflow = async (run: Run) => {
      if (asks) await run.step(`tool/${DONE}`, () => 21);
      reached = true;
      if (hang) await never();
      return run.repair(history).repairs.map(({ kind }) => kind);
    };
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => reached);
    await hf.close();
    await assert.rejects(pending);
    hang = false;
    asks = false;
    assert.deepEqual(await (await open()).run("r", workflow), ["answered-from-journal"]);
  }));
