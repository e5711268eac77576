import { createInterface } from "node:readline";
import { errorText } from "../../model/fault.ts";

/** One tool of a server of the Model Context Protocol. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  /** Its answer in words; what it throws is reported to the agent as an error. */
  call(given: Readonly<Record<string, unknown>>): Promise<string>;
}

export interface McpStreams {
  readonly input: NodeJS.ReadableStream;
  readonly write: (line: string) => void;
}

const VERSIONS: readonly string[] = ["2025-06-18", "2025-03-26", "2024-11-05"];
const [NEWEST = ""] = VERSIONS;
const PARSE_ERROR = -32_700;
const NO_SUCH_METHOD = -32_601;
const BAD_PARAMETERS = -32_602;

type Answer =
  { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/**
 * The part of the protocol that offers tools on stdin and stdout: a line each way is a JSON-RPC message. Resolves when
 * the input ends. Calls are answered as they come out, so that a long one keeps no other waiting.
 */
export async function serveTools(
  tools: readonly McpTool[],
  version: string,
  streams: McpStreams,
): Promise<void> {
  const send = (id: unknown, answer: Answer): void =>
    streams.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
  const open = new Set<Promise<void>>();
  for await (const line of createInterface({ input: streams.input })) {
    if (line.trim() === "") continue;
    const message = parse(line);
    if (message === undefined) send(null, refuse(PARSE_ERROR, "a line must be one JSON object"));
    // What has no id is a notification, and is not answered.
    else if (message["id"] !== undefined && typeof message["method"] === "string") {
      const { id, method } = message;
      const answering = answer(tools, version, method, fields(message["params"])).then((one) =>
        send(id, one),
      );
      open.add(answering);
      void answering.finally(() => open.delete(answering));
    }
  }
  await Promise.all(open);
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? fields(value) : undefined;
  } catch {
    return undefined;
  }
}

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

async function answer(
  tools: readonly McpTool[],
  version: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  switch (method) {
    case "initialize": {
      const asked = params["protocolVersion"];
      const protocolVersion = typeof asked === "string" && VERSIONS.includes(asked) ? asked : NEWEST;
      const serverInfo = { name: "holdfast", title: "Holdfast", version };
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } };
    }
    case "ping":
      return { result: {} };
    case "tools/list":
      return {
        result: {
          tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
        },
      };
    case "tools/call":
      return callTool(tools, params);
    default:
      return refuse(NO_SUCH_METHOD, `there is no method "${method.slice(0, 100)}"`);
  }
}

async function callTool(
  tools: readonly McpTool[],
  params: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const tool = tools.find(({ name }) => name === params["name"]);
  if (tool === undefined)
    return refuse(
      BAD_PARAMETERS,
      `there is no such tool; there are ${tools.map(({ name }) => name).join(", ")}`,
    );
  try {
    return said(await tool.call(fields(params["arguments"])), false);
  } catch (error) {
    return said(errorText(error), true);
  }
}

const said = (text: string, isError: boolean): Answer => ({
  result: { content: [{ type: "text", text }], isError },
});
const refuse = (code: number, message: string): Answer => ({ error: { code, message } });
