import { asText, isRecord, isText, recordsOf, type JsonRecord } from "../repair.ts";

const CALLS = ["server_tool_use", "mcp_tool_use"];

/**
 * Shows which blocks of tools that the vendor runs itself are stranded: a call without a result that is no longer at
 * the end of the history, where the vendor would still carry it on, or a result without its call. Nobody else can
 * answer them, so they cannot stay.
 */
export function anthropicServerTools(messages: readonly unknown[]): (block: JsonRecord) => boolean {
  const blocks = messages.flatMap((message) => recordsOf(isRecord(message) ? message["content"] : undefined));
  const called = new Set(blocks.filter(isServerCall).map((block) => asText(block["id"])));
  const answered = new Set(blocks.filter(isServerResult).map((block) => asText(block["tool_use_id"])));
  const pending = new Set(tailBlocks(messages));
  return (block) => {
    if (isServerCall(block)) return !answered.has(asText(block["id"])) && !pending.has(block);
    return isServerResult(block) && !called.has(asText(block["tool_use_id"]));
  };
}

const isServerCall = (block: JsonRecord): boolean => CALLS.includes(asText(block["type"]));

const isServerResult = (block: JsonRecord): boolean =>
  block["type"] !== "tool_result" &&
  isText(block["tool_use_id"]) &&
  asText(block["type"]).endsWith("_tool_result");

/** The blocks of the last assistant message, if nothing but results of our own tools follows it. */
function tailBlocks(messages: readonly unknown[]): readonly JsonRecord[] {
  const last = messages.findLastIndex((message) => !holdsResultsOnly(message));
  const message = messages[last];
  return isRecord(message) && message["role"] === "assistant" ? recordsOf(message["content"]) : [];
}

function holdsResultsOnly(message: unknown): boolean {
  if (!isRecord(message) || !Array.isArray(message["content"]) || message["role"] !== "user") return false;
  return recordsOf(message["content"]).every((block) => block["type"] === "tool_result");
}
