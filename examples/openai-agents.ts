// The OpenAI Agents SDK: its model and its tools answer from the journal what they have answered before.
//   node openai-agents.ts
import { Agent, OpenAIChatCompletionsModel, Runner, tool, Usage, type Model } from "@openai/agents";
import { openHoldfast, type Run } from "holdfast";
import OpenAI from "openai";
import { z } from "zod";
import { MODEL, MODEL_URL, note, PROMPT, STORE } from "./note-tool.ts";

/** The SDK's own model, with every reply committed. */
function durableModel(run: Run, model: Model): Model {
  let calls = 0;
  return {
    getResponse: async (request) => {
      const answer = await run.step(`model/${calls++}`, () => model.getResponse(request));
      // What is read back is data: the counter of usage is made of it again.
      return { ...answer, usage: new Usage(answer.usage) };
    },
    getStreamedResponse: (request) => model.getStreamedResponse(request),
  };
}

const client = new OpenAI({ baseURL: MODEL_URL, apiKey: process.env["API_KEY"] ?? "none" });

async function body(run: Run): Promise<string> {
  const noting = tool({
    name: "note",
    description: "Notes a text.",
    parameters: z.object({ text: z.string() }),
    execute: ({ text }, _, details) => run.step(`tool/${details?.toolCall?.callId}`, () => note(text)),
  });
  const model = durableModel(run, new OpenAIChatCompletionsModel(client, MODEL));
  const agent = new Agent({ name: "notes", instructions: "Use the tool.", model, tools: [noting] });
  const result = await new Runner({ tracingDisabled: true }).run(agent, PROMPT, { maxTurns: 20 });
  return String(result.finalOutput);
}

const hf = await openHoldfast({ store: STORE });
console.log(await hf.run("openai-agents", body));
await hf.close();
