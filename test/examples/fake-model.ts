import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkMessages } from "../../src/loop/repair/check-messages.ts";

interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** A model on the loopback that speaks the chat protocol, and judges every history that it is given. */
export interface FakeModel {
  readonly url: string;
  /** How many tool results each request carried, in the order of the requests. */
  readonly asked: readonly number[];
  /** What was wrong with histories. */
  readonly problems: readonly string[];
  /** Called when a request has come and before it is answered. */
  onRequest: (nth: number) => void;
  close(): Promise<void>;
}

const NOTES = 5;
const ANSWER_MS = 15;

/** Wants the numbers 0 to 4 noted, one call at a time, and then tells what it was told. */
export async function startFakeModel(): Promise<FakeModel> {
  const asked: number[] = [];
  const problems: string[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece: Buffer) => (text += piece.toString()));
    request.on("end", () => {
      const { messages, stream } = JSON.parse(text) as { messages: WireMessage[]; stream?: boolean };
      const results = messages.filter(({ role }) => role === "tool");
      asked.push(results.length);
      for (const problem of checkMessages(messages, "openai-chat")) problems.push(JSON.stringify(problem));
      fake.onRequest(asked.length);
      setTimeout(() => answer(response, replyTo(results), stream === true), ANSWER_MS);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeModel = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    asked,
    problems,
    onRequest: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return fake;
}

interface Reply {
  readonly role: "assistant";
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
}

function replyTo(results: readonly WireMessage[]): Reply {
  const n = results.length;
  if (n >= NOTES)
    return {
      role: "assistant",
      content: `done: ${results.map(({ content }) => textOf(content)).join(", ")}`,
    };
  const call = { id: `call_${String(n)}`, type: "function" };
  const args = JSON.stringify({ text: String(n) });
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, ...call, function: { name: "note", arguments: args } }],
  };
}

/** Some clients send a text, some its parts, some its JSON. */
const textOf = (content: unknown): string => {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return /noted \d/.exec(text)?.[0] ?? text;
};

function answer(response: ServerResponse, message: Reply, streamed: boolean): void {
  const finish_reason = message.tool_calls === undefined ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const head = { id: "chat_1", created: 1_700_000_000, model: "fake" };
  if (!streamed) {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason }],
        usage,
      }),
    );
    return;
  }
  response.setHeader("content-type", "text/event-stream");
  const chunk = (delta: object, reason: string | null, more: object = {}): void => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    response.write(
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`,
    );
  };
  chunk(message, null);
  chunk({}, finish_reason, { usage });
  response.end("data: [DONE]\n\n");
}
