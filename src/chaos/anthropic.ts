import {
  allText,
  type Answer,
  type Conversation,
  event,
  isRecord,
  type JsonRecord,
  pieces,
  recordOf,
  recordsOf,
  textOf,
  type ToolCall,
  type Vendor,
} from "./vendor.ts";
import { anthropicError } from "./anthropic-error.ts";
import { firstBreach } from "./history-check.ts";

/** Anthropic Messages. */
export const anthropic: Vendor = {
  name: "anthropic",
  read,
  refuse,
  whole: (answer) => ({ ...message(answer), content: blocks(answer), ...ending(answer) }),
  stream,
  streamError: () =>
    event("error", { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
  error: anthropicError,
  countTokens: (tokens) => ({ input_tokens: tokens }),
};

function read(body: JsonRecord): Conversation {
  const messages = recordsOf(body["messages"]);
  const answers = messages.filter(
    (message, at) =>
      message["role"] === "assistant" && messages[at - 1]?.["role"] !== "assistant" && !isFiller(message),
  );
  return {
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    messages: messages.length,
    answers: answers.length,
    tools: recordsOf(body["tools"])
      .filter((tool) => isRecord(tool["input_schema"]))
      .map((tool) => ({
        name: textOf(tool["name"]),
        takes: "arguments",
        schema: recordOf(tool["input_schema"]),
      })),
    system: allText(body["system"]),
    received: allText(messages.filter(({ role }) => role !== "assistant").map(({ content }) => content)),
    ...wanted(body),
  };
}

/** What Claude Code says in the model's name where a turn was cut off: the model itself has not answered. */
const FILLERS: ReadonlySet<string> = new Set(["No response requested.", "(no content)"]);
function isFiller({ content }: JsonRecord): boolean {
  if (typeof content === "string") return FILLERS.has(content);
  const [block, ...others] = recordsOf(content);
  return block !== undefined && others.length === 0 && FILLERS.has(textOf(block["text"]));
}

function wanted(body: JsonRecord): { readonly wants?: JsonRecord } {
  const format = recordOf(recordOf(body["output_config"])["format"] ?? body["output_format"]);
  return format["type"] === "json_schema" ? { wants: recordOf(format["schema"]) } : {};
}

function refuse(body: JsonRecord): string | undefined {
  const messages = body["messages"];
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
  if (typeof body["max_tokens"] !== "number") return "max_tokens: Field required";
  const breach = firstBreach(messages, "anthropic");
  if (breach === undefined) return undefined;
  const at = `messages.${String(breach.at)}`;
  const id = breach.callId ?? "";
  if (breach.rule === "call-unanswered")
    return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  if (breach.rule === "result-orphaned")
    return `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  if (breach.rule === "call-id-taken") return `${at}: \`tool_use\` ids must be unique`;
  return `${at}: ${breach.detail}`;
}

const message = ({ id, model }: Answer): JsonRecord => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  model,
});

const STOPS: Readonly<Record<string, string>> = { length: "max_tokens", refusal: "refusal" };
const stopReason = ({ stop, calls }: Answer): string =>
  STOPS[stop] ?? (calls.length > 0 ? "tool_use" : "end_turn");

const usageOf = ({ usage }: Answer): JsonRecord => ({
  // Of the vendors only this one does not count what was cached as input.
  input_tokens: Math.max(0, usage.input - usage.cachedInput),
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cachedInput,
  output_tokens: usage.output,
});

const ending = (answer: Answer): JsonRecord => ({
  stop_reason: stopReason(answer),
  stop_sequence: null,
  usage: usageOf(answer),
});

const inputOf = ({ input }: ToolCall): JsonRecord =>
  "arguments" in input ? input.arguments : { input: input.text };

const toolUse = (call: ToolCall, input: JsonRecord): JsonRecord => ({
  type: "tool_use",
  id: `toolu_${call.id}`,
  name: call.name,
  input,
});

const blocks = ({ say, calls }: Answer): readonly JsonRecord[] => [
  ...(say === "" ? [] : [{ type: "text", text: say }]),
  ...calls.map((call) => toolUse(call, inputOf(call))),
];

function stream(answer: Answer): readonly string[] {
  const { say, calls, usage } = answer;
  const started = {
    ...message(answer),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usageOf(answer), output_tokens: 1 },
  };
  const text = say === "" ? [] : [textBlock(say)];
  const parts = [...text, ...calls.map(callBlock)].flatMap((part, index) => part(index));
  return [
    event("message_start", { type: "message_start", message: started }),
    event("ping", { type: "ping" }),
    ...parts,
    event("message_delta", {
      type: "message_delta",
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    event("message_stop", { type: "message_stop" }),
  ];
}

type Part = (index: number) => readonly string[];

const textBlock = (say: string): Part =>
  block({ type: "text", text: "" }, say, (text) => ({ type: "text_delta", text }));

const callBlock = (call: ToolCall): Part =>
  block(toolUse(call, {}), JSON.stringify(inputOf(call)), (text) => ({
    type: "input_json_delta",
    partial_json: text,
  }));

const block =
  (start: JsonRecord, text: string, delta: (piece: string) => JsonRecord): Part =>
  (index) => [
    event("content_block_start", { type: "content_block_start", index, content_block: start }),
    ...pieces(text).map((piece) =>
      event("content_block_delta", { type: "content_block_delta", index, delta: delta(piece) }),
    ),
    event("content_block_stop", { type: "content_block_stop", index }),
  ];
