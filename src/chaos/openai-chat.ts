import { firstBreach } from "./history-check.ts";
import {
  allText,
  type Answer,
  type Conversation,
  dataOnly,
  type JsonRecord,
  pieces,
  recordOf,
  recordsOf,
  textOf,
  type ToolCall,
  type Vendor,
} from "./vendor.ts";
import { openaiError } from "./openai-error.ts";

/** OpenAI Chat Completions, which most other providers speak too. */
export const openaiChat: Vendor = {
  name: "openai-chat",
  read,
  refuse,
  whole,
  stream,
  streamError: () =>
    dataOnly({
      error: { message: "The server had an error while processing your request.", type: "server_error" },
    }),
  error: openaiError,
  countTokens: (tokens) => ({ input_tokens: tokens }),
};

/** What some agents put into the model's mouth after informing it where they work; no model has said it. */
const FILLER = /^Got it\. Thanks for the (?:additional )?context!$/;

function read(body: JsonRecord): Conversation {
  const messages = recordsOf(body["messages"]);
  const said = (role: unknown): boolean => role === "system" || role === "developer";
  return {
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    messages: messages.length,
    answers: messages.filter(
      ({ role, content }, at) =>
        role === "assistant" &&
        messages[at - 1]?.["role"] !== "assistant" &&
        !FILLER.test(allText([content])),
    ).length,
    tools: recordsOf(body["tools"])
      .map((tool) => recordOf(tool["function"]))
      .map((tool) => ({
        name: textOf(tool["name"]),
        takes: "arguments",
        schema: recordOf(tool["parameters"]),
      })),
    system: allText(messages.filter(({ role }) => said(role)).map(({ content }) => content)),
    received: allText(
      messages.filter(({ role }) => role !== "assistant" && !said(role)).map(({ content }) => content),
    ),
    ...wanted(body),
  };
}

function wanted(body: JsonRecord): { readonly wants?: JsonRecord } {
  const format = recordOf(body["response_format"]);
  return format["type"] === "json_schema"
    ? { wants: recordOf(recordOf(format["json_schema"])["schema"]) }
    : {};
}

function refuse(body: JsonRecord): string | undefined {
  const messages = body["messages"];
  if (!Array.isArray(messages) || messages.length === 0)
    return "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
  const breach = firstBreach(messages, "openai-chat");
  if (breach === undefined) return undefined;
  if (breach.rule === "call-unanswered")
    return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${breach.callId ?? ""}`;
  if (breach.rule === "result-orphaned" || breach.rule === "result-repeated")
    return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
  return `Invalid 'messages[${String(breach.at)}]': ${breach.detail}`;
}

const finish = ({ stop, calls }: Answer): string =>
  stop === "length"
    ? "length"
    : stop === "refusal"
      ? "content_filter"
      : calls.length > 0
        ? "tool_calls"
        : "stop";

const usageOf = ({ usage }: Answer): JsonRecord => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cachedInput },
});

const argumentsOf = ({ input }: ToolCall): string =>
  JSON.stringify("arguments" in input ? input.arguments : { input: input.text });

const callOf = (call: ToolCall, text: string): JsonRecord => ({
  id: `call_${call.id}`,
  type: "function",
  function: { name: call.name, arguments: text },
});

const created = (): number => Math.floor(Date.now() / 1_000);

function whole(answer: Answer): unknown {
  const { id, model, say, calls } = answer;
  const toolCalls =
    calls.length === 0 ? {} : { tool_calls: calls.map((call) => callOf(call, argumentsOf(call))) };
  const message = { role: "assistant", content: say === "" ? null : say, refusal: null, ...toolCalls };
  return {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: created(),
    model,
    choices: [{ index: 0, message, finish_reason: finish(answer), logprobs: null }],
    usage: usageOf(answer),
  };
}

function stream(answer: Answer): readonly string[] {
  const { id, model, say, calls } = answer;
  const common = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: created(), model };
  const chunk = (delta: JsonRecord, finishReason: string | null = null): string =>
    dataOnly({ ...common, choices: [{ index: 0, delta, finish_reason: finishReason }] });
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(say).map((content) => chunk({ content })),
    ...calls.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...callOf(call, "") }] }),
      ...pieces(argumentsOf(call)).map((text) =>
        chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
      ),
    ]),
    chunk({}, finish(answer)),
    dataOnly({ ...common, choices: [], usage: usageOf(answer) }),
    "data: [DONE]\n\n",
  ];
}
