import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { generateText, type ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { repairMessages } from "../../../src/loop/repair/repair-messages.ts";
import { AI_SDK, ANTHROPIC, CHAT, RESPONSES } from "./repair-cases.ts";
import { startStrictVendor, type StrictVendor } from "./strict-vendor.ts";

let vendor: StrictVendor;
before(async () => {
  vendor = await startStrictVendor();
});
after(() => vendor.close());

/** Refused as it was left behind, accepted once repaired; `send` resolves to what the model said. */
async function refusedThenAccepted<M>(
  damaged: readonly unknown[],
  refusal: RegExp,
  send: (messages: M[]) => Promise<string>,
): Promise<void> {
  const history = structuredClone(damaged) as M[];
  await assert.rejects(send(history), refusal);
  for (const known of [() => undefined, () => ({ result: { paid: true } })])
    assert.equal(await send(repairMessages(history, { known }).messages), "accepted");
}

for (const [name, damaged] of Object.entries(ANTHROPIC)) {
  test(`J7 the Anthropic client's ${name} history is refused, and accepted once repaired`, async () => {
    const client = new Anthropic({ baseURL: vendor.url, apiKey: "none", authToken: null, maxRetries: 0 });
    await refusedThenAccepted<MessageParam>(damaged, /400.*call-unanswered/s, async (messages) => {
      const { content } = await client.messages.create({ model: "fake", max_tokens: 9, messages });
      return content[0]?.type === "text" ? content[0].text : "";
    });
  });
}

const openai = (): OpenAI => new OpenAI({ baseURL: `${vendor.url}/v1`, apiKey: "none", maxRetries: 0 });

for (const [name, damaged] of Object.entries(CHAT)) {
  test(`J7 the OpenAI client's ${name} chat history is refused, and accepted once repaired`, async () => {
    const send = async (messages: ChatCompletionMessageParam[]): Promise<string> => {
      const { choices } = await openai().chat.completions.create({ model: "fake", messages });
      return choices[0]?.message.content ?? "";
    };
    await refusedThenAccepted(damaged, /400.*call-unanswered/s, send);
  });
}

for (const [name, damaged] of Object.entries(RESPONSES)) {
  test(`J7 the OpenAI client's ${name} responses history is refused, and accepted once repaired`, async () => {
    const send = async (input: ResponseInputItem[]): Promise<string> =>
      (await openai().responses.create({ model: "fake", input })).output_text;
    await refusedThenAccepted(damaged, /400 /, send);
  });
}

for (const [name, damaged] of Object.entries(AI_SDK)) {
  test(`J7 the AI SDK's ${name} history is refused by itself, and accepted once repaired`, async () => {
    const send = async (messages: ModelMessage[]): Promise<string> =>
      (await generateText({ model: acceptingModel(), messages, maxRetries: 0 })).text;
    await refusedThenAccepted(damaged, /Tool results? (is|are) missing/, send);
  });
}

const acceptingModel = (): MockLanguageModelV4 =>
  new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: "text", text: "accepted" }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    },
  });
