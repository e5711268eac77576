import { checkAiSdk } from "./ai-sdk/check-ai-sdk.ts";
import { checkAnthropic } from "./anthropic/check-anthropic.ts";
import { checkOpenaiChat } from "./openai/check-openai-chat.ts";
import { checkResponses } from "./openai/check-responses.ts";
import { type Problem, ProblemList } from "./problem.ts";
import {
  asText,
  isBlank,
  isRecord,
  type JsonRecord,
  MESSAGE_SHAPES,
  type MessageShape,
  recordsOf,
  type RepairOptions,
} from "./repair.ts";
import { Fault } from "../../model/fault.ts";

/**
 * Holds a history to the vendor's documented rules, strictly. An empty list means that none of them is broken. Called as
 * `repairMessages` is; the shape alone, in the place of the options, is understood too.
 */
export function checkMessages(
  messages: readonly unknown[],
  options: Pick<RepairOptions, "shape"> | MessageShape = {},
): readonly Problem[] {
  const given = typeof options === "string" ? options : options.shape;
  const shape = given ?? detectShape(messages);
  switch (shape) {
    case "plain":
      return [];
    case "anthropic":
      return checkAnthropic(messages);
    case "openai-chat":
      return checkOpenaiChat(messages);
    case "openai-responses":
      return checkResponses(messages);
    case "ai-sdk":
      return messages.some((message) => isRecord(message) && Array.isArray(message["parts"]))
        ? checkUiMessages(messages)
        : checkAiSdk(messages);
  }
}

const ANTHROPIC_BLOCKS =
  /^(tool_use|tool_result|thinking|redacted_thinking|server_tool_use|mcp_tool_use|.+_tool_result)$/;
const AI_SDK_PARTS = /^(tool-.+|reasoning|file|source-url|step-start|dynamic-tool)$/;
const CHAT_PARTS = /^(image_url|input_audio|refusal)$/;
const RESPONSES_PARTS = /^(input_text|output_text|input_image|input_file)$/;

/**
 * Shows whose shape a history has. `plain` is one that holds nothing but text: it means the same in every shape, and
 * there is nothing in it to repair.
 */
export function detectShape(messages: readonly unknown[]): MessageShape | "plain" {
  const shapes = new Set(messages.flatMap(shapesOf));
  const [shape] = shapes;
  if (shapes.size === 1 && shape !== undefined) return shape;
  if (shapes.size === 0 && messages.every(isPlainText)) return "plain";
  throw new Fault(
    "usage",
    `the shape of the messages is not recognised: ${reason(messages, shapes)}. ${REMEDY}`,
  );
}

const REMEDY = `Pass the option shape, one of ${MESSAGE_SHAPES.join(", ")}.`;

function reason(messages: readonly unknown[], shapes: ReadonlySet<MessageShape>): string {
  if (shapes.size > 1) return `they look like ${[...shapes].join(" and like ")}`;
  const at = messages.findIndex((message) => !isPlainText(message));
  return `nothing in them is typical of any, and message ${String(at)} is not a role with text`;
}

function isPlainText(message: unknown): boolean {
  if (!isRecord(message) || typeof message["role"] !== "string") return false;
  const { content } = message;
  if (!Array.isArray(content)) return !isBlank(content);
  return (
    content.length > 0 &&
    content.every((part) => isRecord(part) && part["type"] === "text" && !isBlank(part["text"]))
  );
}

function shapesOf(message: unknown): readonly MessageShape[] {
  if (!isRecord(message)) return [];
  if (Array.isArray(message["parts"])) return ["ai-sdk"];
  if (typeof message["type"] === "string") return ["openai-responses"];
  const found = recordsOf(message["content"]).flatMap((part) => shapeOfPart(part, message));
  return isChatMessage(message) ? [...found, "openai-chat"] : found;
}

const isChatMessage = (message: JsonRecord): boolean =>
  message["tool_calls"] !== undefined ||
  message["tool_call_id"] !== undefined ||
  message["function_call"] !== undefined;

function shapeOfPart(part: JsonRecord, message: JsonRecord): readonly MessageShape[] {
  const type = asText(part["type"]);
  if (ANTHROPIC_BLOCKS.test(type)) return ["anthropic"];
  if (AI_SDK_PARTS.test(type) && !isRecord(part["file"])) return ["ai-sdk"];
  if (RESPONSES_PARTS.test(type)) return ["openai-responses"];
  // A refusal stands in the content of both OpenAI interfaces; the one is recognised by its calls.
  if (CHAT_PARTS.test(type))
    return message["tool_calls"] === undefined && type === "refusal" ? [] : ["openai-chat"];
  return [];
}

/** The rules of the AI SDK's UI messages: every call has an outcome, or waits for a person, or for its provider. */
function checkUiMessages(messages: readonly unknown[]): readonly Problem[] {
  const list = new ProblemList();
  for (const [at, message] of messages.entries()) {
    if (!isRecord(message) || !Array.isArray(message["parts"])) {
      list.add("not-a-message", at);
      continue;
    }
    const parts = recordsOf(message["parts"]);
    if (parts.every((part) => part["type"] === "step-start")) list.add("empty-content", at);
    const ids = new Set<unknown>();
    for (const part of parts.filter((one) => /^(tool-|dynamic-tool$)/.test(asText(one["type"])))) {
      const { toolCallId: id, state } = part;
      if (ids.has(id)) list.add("call-id-taken", at, id);
      ids.add(id);
      const settled = asText(state).startsWith("output-") || state === "approval-requested";
      const theirs = part["providerExecuted"] === true && state !== "input-streaming";
      if (!settled && !theirs) list.add("call-unanswered", at, id);
    }
  }
  return list.problems;
}
