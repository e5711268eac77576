import { firstBreach } from "./history-check.ts";
import {
  allText,
  type Answer,
  type Conversation,
  event,
  type JsonRecord,
  type OfferedTool,
  recordOf,
  recordsOf,
  textOf,
  type Vendor,
} from "./vendor.ts";
import { openaiError } from "./openai-error.ts";
import { responseItems, streamedItems } from "./responses-items.ts";

/** OpenAI Responses. */
export const openaiResponses: Vendor = {
  name: "openai-responses",
  read,
  refuse,
  whole: (answer) => response(answer, "completed"),
  stream,
  streamError: () =>
    event("response.failed", {
      type: "response.failed",
      sequence_number: 1,
      response: {
        id: "resp_failed",
        object: "response",
        status: "failed",
        output: [],
        error: {
          code: "server_error",
          message: "The server had an error while processing your request. Sorry about that!",
        },
      },
    }),
  error: openaiError,
  countTokens: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};

function read(body: JsonRecord): Conversation {
  const items = inputOf(body);
  const own = items.map(isOwn);
  return {
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    messages: items.length,
    answers: own.filter((mine, at) => mine && own[at - 1] !== true).length,
    tools: toolsOf(body["tools"]),
    system: [
      textOf(body["instructions"]),
      allText(items.filter(({ role }) => role === "system" || role === "developer")),
    ].join("\n"),
    received: allText(items.filter((item, at) => own[at] !== true)),
    ...wanted(body),
  };
}

const inputOf = (body: JsonRecord): readonly JsonRecord[] =>
  typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : recordsOf(body["input"]);

/** What the model said itself: its messages, its calls and its reasoning. */
const isOwn = ({ role, type }: JsonRecord): boolean =>
  role === "assistant" || type === "reasoning" || /_call$/.test(textOf(type));

/** Namespaces hold tools of their own. */
const toolsOf = (tools: unknown): readonly OfferedTool[] =>
  recordsOf(tools).flatMap((tool): readonly OfferedTool[] => {
    if (tool["type"] === "namespace") {
      const namespace = textOf(tool["name"]);
      return toolsOf(tool["tools"]).map((inner) => ({ ...inner, namespace }));
    }
    if (tool["type"] === "custom") return [{ name: textOf(tool["name"]), takes: "text", schema: {} }];
    if (tool["type"] !== "function") return [];
    return [{ name: textOf(tool["name"]), takes: "arguments", schema: recordOf(tool["parameters"]) }];
  });

function wanted(body: JsonRecord): { readonly wants?: JsonRecord } {
  const format = recordOf(recordOf(body["text"])["format"]);
  return format["type"] === "json_schema" ? { wants: recordOf(format["schema"]) } : {};
}

function refuse(body: JsonRecord): string | undefined {
  const items = inputOf(body);
  if (items.length === 0) return "Missing required parameter: 'input'.";
  const breach = firstBreach(items, "openai-responses");
  if (breach === undefined) return undefined;
  if (breach.rule === "call-unanswered")
    return `No tool output found for function call ${breach.callId ?? ""}.`;
  if (breach.rule === "result-orphaned")
    return `No tool call found for function call output with call_id ${breach.callId ?? ""}.`;
  return `Invalid 'input[${String(breach.at)}]': ${breach.detail}`;
}

function response(answer: Answer, status: "in_progress" | "completed"): JsonRecord {
  const { id, model, usage, stop } = answer;
  const cut = status === "completed" && stop === "length";
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1_000),
    status: cut ? "incomplete" : status,
    error: null,
    incomplete_details: cut ? { reason: "max_output_tokens" } : null,
    model,
    output: status === "completed" ? responseItems(answer) : [],
    usage:
      status === "completed"
        ? {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cachedInput },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: usage.input + usage.output,
          }
        : null,
  };
}

function stream(answer: Answer): readonly string[] {
  const begun = { response: response(answer, "in_progress") };
  const ended = answer.stop === "length" ? "response.incomplete" : "response.completed";
  const events: readonly JsonRecord[] = [
    { type: "response.created", ...begun },
    { type: "response.in_progress", ...begun },
    ...streamedItems(answer),
    { type: ended, response: response(answer, "completed") },
  ];
  return events.map((data, at) => event(textOf(data["type"]), { ...data, sequence_number: at }));
}
