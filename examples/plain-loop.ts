// An agent's loop without any SDK: fetch, tools, and a list of messages that survives.
//   node plain-loop.ts
import { checkMessages, openHoldfast, type Run } from "holdfast";
import { MODEL, MODEL_URL, note, PROMPT, STORE } from "./note-tool.ts";

interface Call {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}
type Message =
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string | null; readonly tool_calls?: readonly Call[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

const tools = [
  {
    type: "function",
    function: {
      name: "note",
      description: "Notes a text.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    },
  },
];

async function think(messages: readonly Message[]): Promise<Message & { role: "assistant" }> {
  const answer = await fetch(`${MODEL_URL}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${process.env["API_KEY"] ?? "none"}`,
    },
    body: JSON.stringify({ model: MODEL, messages, tools }),
  });
  if (!answer.ok) throw new Error(`the model answered ${answer.status}: ${await answer.text()}`);
  const { choices } = (await answer.json()) as { choices: { message: Message & { role: "assistant" } }[] };
  return choices[0]!.message;
}

async function agent(run: Run): Promise<string> {
  const first: { messages: readonly Message[] } = { messages: [{ role: "user", content: PROMPT }] };
  const end = await run.loop("agent", first, async ({ messages }, _, turn) => {
    const reply = await turn.step("think", () => think(messages));
    const calls = reply.tool_calls ?? [];
    const results = await Promise.all(
      calls.map(async ({ id, function: { arguments: given } }): Promise<Message> => {
        const { text } = JSON.parse(given) as { text: string };
        return { role: "tool", tool_call_id: id, content: await turn.step(`tool/${id}`, () => note(text)) };
      }),
    );
    return { state: { messages: [...messages, reply, ...results] }, done: calls.length === 0 };
  });
  const problems = checkMessages(end.messages, "openai-chat");
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return String(end.messages.at(-1)?.content);
}

const hf = await openHoldfast({ store: STORE });
console.log(await hf.run("plain-loop", agent));
await hf.close();
