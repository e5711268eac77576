import { isCallId } from "../call-ids.ts";
import { parseJson } from "../draft.ts";
import { asText, isRecord, isText, recordsOf, type JsonRecord } from "../repair.ts";
import { ProblemList, type Problem } from "../problem.ts";

/** The rules of OpenAI Chat Completions for calls and results, and for what a message may hold. */
export function checkOpenaiChat(messages: readonly unknown[]): readonly Problem[] {
  const list = new ProblemList();
  let open = new Set<unknown>();
  let given = new Set<unknown>();
  let caller = -1;
  const close = (): void => {
    for (const id of open) list.add("call-unanswered", caller, id);
    open = new Set();
  };
  for (const [at, message] of messages.entries()) {
    if (!isRecord(message) || !isText(message["role"])) {
      list.add("not-a-message", at);
    } else if (message["role"] === "tool") {
      const id = message["tool_call_id"];
      if (!open.delete(id)) list.add(given.has(id) ? "result-repeated" : "result-orphaned", at, id);
      given.add(id);
      checkToolContent(message, at, list);
    } else {
      close();
      given = new Set();
      caller = at;
      open = checkSpeaker(message, at, list);
    }
  }
  close();
  return list.problems;
}

function checkToolContent({ content, tool_call_id: id }: JsonRecord, at: number, list: ProblemList): void {
  const valid = typeof content === "string" || (Array.isArray(content) && content.length > 0);
  if (!valid) list.add("result-invalid", at, id);
}

/** Checks a message that is no result, and returns the ids it calls under. */
function checkSpeaker(message: JsonRecord, at: number, list: ProblemList): Set<unknown> {
  const { content, tool_calls: calls } = message;
  const ids = new Set<unknown>();
  if (Array.isArray(content) && content.length === 0) list.add("empty-content", at);
  if (message["role"] !== "assistant") return ids;
  if (calls !== undefined && recordsOf(calls).length === 0) list.add("calls-empty", at);
  const speaks = [content, message["refusal"], message["audio"], message["function_call"]].some(
    (value) => isText(value) || (typeof value === "object" && value !== null),
  );
  if (!speaks && recordsOf(calls).length === 0) list.add("empty-content", at);
  for (const call of recordsOf(calls)) {
    if (!isWhole(call)) list.add("call-incomplete", at, call["id"]);
    if (isText(call["id"]) && !isCallId("openai-chat", call["id"]))
      list.add("call-id-invalid", at, call["id"]);
    if (ids.has(call["id"])) list.add("call-id-taken", at, call["id"]);
    ids.add(call["id"]);
  }
  return ids;
}

function isWhole(call: JsonRecord): boolean {
  const custom = call["type"] === "custom";
  const content = call[custom ? "custom" : "function"];
  if (!isText(call["id"]) || !isRecord(content) || !isText(content["name"])) return false;
  return custom || (isText(content["arguments"]) && parseJson(asText(content["arguments"])) !== undefined);
}
