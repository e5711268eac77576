import { readApprovals } from "./ai-sdk-dialect.ts";
import { asText, isRecord, isText, recordsOf, type JsonRecord } from "../repair.ts";
import { ProblemList, type Problem } from "../problem.ts";

/** The rules of the AI SDK's messages for calls and results. Calls that the provider ran are its own affair. */
export function checkAiSdk(messages: readonly unknown[]): readonly Problem[] {
  const list = new ProblemList();
  const { awaited } = readApprovals(messages);
  let open = new Map<unknown, number>();
  let given = new Set<unknown>();
  const close = (): void => {
    for (const [id, at] of open) if (!awaited.has(asText(id))) list.add("call-unanswered", at, id);
    open = new Map();
  };
  for (const [at, message] of messages.entries()) {
    if (!isRecord(message) || !isText(message["role"])) {
      list.add("not-a-message", at);
      continue;
    }
    if (isEmpty(message)) list.add("empty-content", at);
    if (message["role"] !== "tool") {
      close();
      given = new Set();
      open = checkCalls(message, at, list);
      continue;
    }
    for (const block of recordsOf(message["content"]).filter((one) => one["type"] === "tool-result")) {
      const id = block["toolCallId"];
      if (!open.delete(id)) list.add(given.has(id) ? "result-repeated" : "result-orphaned", at, id);
      given.add(id);
      if (!isValidResult(block)) list.add("result-invalid", at, id);
    }
  }
  close();
  return list.problems;
}

function isEmpty({ role, content }: JsonRecord): boolean {
  if (role === "system") return false;
  if (!Array.isArray(content)) return !isText(content);
  return recordsOf(content).every(
    (part) => part["type"] === "text" && part["text"] === "" && part["providerOptions"] === undefined,
  );
}

function checkCalls(message: JsonRecord, at: number, list: ProblemList): Map<unknown, number> {
  const ids = new Map<unknown, number>();
  if (message["role"] !== "assistant") return ids;
  const blocks = recordsOf(message["content"]);
  const byProvider = new Set(
    blocks.filter((block) => block["providerExecuted"] === true).map((block) => block["toolCallId"]),
  );
  for (const block of blocks.filter((one) => !byProvider.has(one["toolCallId"]))) {
    const { toolCallId: id, type, input } = block;
    if (type === "tool-result") list.add("result-orphaned", at, id);
    if (type !== "tool-call") continue;
    const whole = isText(id) && isText(block["toolName"]) && input !== undefined && typeof input !== "string";
    if (!whole) list.add("call-incomplete", at, id);
    if (ids.has(id)) list.add("call-id-taken", at, id);
    ids.set(id, at);
  }
  return ids;
}

function isValidResult({ output, toolName }: JsonRecord): boolean {
  if (!isRecord(output) || !isText(toolName)) return false;
  switch (output["type"]) {
    case "text":
    case "error-text":
      return typeof output["value"] === "string";
    case "json":
    case "error-json":
      return output["value"] !== undefined;
    case "content":
      return Array.isArray(output["value"]);
    default:
      return output["type"] === "execution-denied";
  }
}
