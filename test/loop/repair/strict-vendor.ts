import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkMessages } from "../../../src/loop/repair/check-messages.ts";
import type { MessageShape } from "../../../src/loop/repair/repair.ts";

/** A vendor on loopback that holds each request to its rules: 400 with the breach, or a short answer. */
export interface StrictVendor {
  readonly url: string;
  close(): Promise<void>;
}

interface Endpoint {
  readonly shape: MessageShape;
  readonly field: "messages" | "input";
  readonly answer: unknown;
}

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "/v1/messages": {
    shape: "anthropic",
    field: "messages",
    answer: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "fake",
      content: [{ type: "text", text: "accepted" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  "/v1/chat/completions": {
    shape: "openai-chat",
    field: "messages",
    answer: {
      id: "chat_1",
      object: "chat.completion",
      created: 0,
      model: "fake",
      choices: [
        {
          index: 0,
          finish_reason: "stop",
          message: { role: "assistant", content: "accepted", refusal: null },
        },
      ],
    },
  },
  "/v1/responses": {
    shape: "openai-responses",
    field: "input",
    answer: {
      id: "resp_1",
      object: "response",
      created_at: 0,
      model: "fake",
      status: "completed",
      output: [
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "accepted", annotations: [] }],
        },
      ],
    },
  },
};

export async function startStrictVendor(): Promise<StrictVendor> {
  const server = createServer((request, response) => void assess(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function assess(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += String(piece);
  const endpoint = ENDPOINTS[(request.url ?? "").split("?")[0] ?? ""];
  const workflow = JSON.parse(text) as Record<string, readonly unknown[]>;
  const problems =
    endpoint === undefined ? [] : checkMessages(workflow[endpoint.field] ?? [], endpoint.shape);
  const [first] = problems;
  const status = endpoint === undefined ? 404 : first === undefined ? 200 : 400;
  const error = {
    type: "error",
    error: { type: "invalid_request_error", message: first?.rule ?? "no such path" },
  };
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(status === 200 ? endpoint?.answer : error));
}
