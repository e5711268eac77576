// The AI SDK with two lines more: `hf.run` around the call, `durable` around what it is given.
//   node ai-sdk.ts            generateText
//   node ai-sdk.ts --stream   streamText
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, streamText, tool } from "ai";
import { openHoldfast } from "holdfast";
import { durable } from "holdfast/ai";
import { z } from "zod";
import { MODEL, MODEL_URL, note, PROMPT, STORE } from "./note-tool.ts";

const provider = createOpenAICompatible({
  name: "local",
  baseURL: MODEL_URL,
  apiKey: process.env["API_KEY"] ?? "none",
});
const options = {
  model: provider(MODEL),
  prompt: PROMPT,
  stopWhen: isStepCount(20),
  tools: {
    note: tool({
      description: "Notes a text.",
      inputSchema: z.object({ text: z.string() }),
      execute: ({ text }) => note(text),
    }),
  },
};

const hf = await openHoldfast({ store: STORE });
const text = await hf.run("ai-sdk", async (run) =>
  process.argv.includes("--stream")
    ? await streamText(durable(run, options)).text
    : (await generateText(durable(run, options))).text,
);
console.log(text);
await hf.close();
