import { isCallId } from "../call-ids.ts";
import { parseJson } from "../draft.ts";
import { asText, isRecord, isText, type JsonRecord } from "../repair.ts";
import { callIdOf, isUnfinishedHosted } from "./responses-kinds.ts";
import { ProblemList, type Problem } from "../problem.ts";

const OUTPUT_OF: ReadonlyMap<unknown, string> = new Map(
  [
    ...["function_call", "custom_tool_call", "shell_call", "local_shell_call", "apply_patch_call"],
    "computer_call",
  ].map((type) => [type, `${type}_output`]),
);
const OUTPUTS: ReadonlySet<unknown> = new Set(OUTPUT_OF.values());

/** The rules of OpenAI Responses for calls and outputs, for reasoning, and for item ids. */
export function checkResponses(items: readonly unknown[]): readonly Problem[] {
  const list = new ProblemList();
  const ids = new Set<unknown>();
  for (const [at, item] of items.entries()) {
    if (!isRecord(item) || (!isText(item["type"]) && !isText(item["role"]))) {
      list.add("not-a-message", at);
      continue;
    }
    checkItem(item, at, list);
    if (item["type"] === "reasoning" && !leadsSomewhere(items[at + 1])) list.add("reasoning-stranded", at);
    const { id } = item;
    if (isText(id) && !isTool(item) && item["type"] !== "item_reference") {
      if (ids.has(id)) list.add("item-repeated", at);
      ids.add(id);
    }
  }
  checkPairs(items, list);
  return list.problems;
}

const isTool = ({ type }: JsonRecord): boolean => OUTPUT_OF.has(type) || OUTPUTS.has(type);

function checkItem(item: JsonRecord, at: number, list: ProblemList): void {
  const { type, content, role } = item;
  if (type === undefined || type === "message") {
    const empty = Array.isArray(content) ? content.length === 0 : role === "assistant" && content === "";
    if (empty) list.add("empty-content", at);
  }
  if (isUnfinishedHosted(item)) list.add("call-unanswered", at, item["id"]);
  if (!OUTPUT_OF.has(type)) return;
  const named = type !== "function_call" && type !== "custom_tool_call" ? true : isText(item["name"]);
  const args = type !== "function_call" || parseJson(asText(item["arguments"] ?? "")) !== undefined;
  if (!isText(item["call_id"]) || !named || !args) list.add("call-incomplete", at, item["call_id"]);
}

function leadsSomewhere(next: unknown): boolean {
  if (!isRecord(next) || asText(next["type"]).endsWith("_output")) return false;
  return next["role"] === undefined || next["role"] === "assistant";
}

/** Where items are only referred to, a call may stand behind a reference, so an output alone is no problem. */
function checkPairs(items: readonly unknown[], list: ProblemList): void {
  const refers = items.some((item) => isRecord(item) && item["type"] === "item_reference");
  const calls = new Map<unknown, { readonly at: number; readonly output: unknown; answers: number }>();
  for (const [at, item] of items.entries()) {
    if (!isRecord(item)) continue;
    const id = callIdOf(item);
    if (OUTPUT_OF.has(item["type"])) {
      if (isText(id) && !isCallId("openai-responses", id)) list.add("call-id-invalid", at, id);
      if (calls.has(id)) list.add("call-id-taken", at, id);
      else calls.set(id, { at, output: OUTPUT_OF.get(item["type"]), answers: 0 });
    } else if (OUTPUTS.has(item["type"])) {
      const call = calls.get(id);
      if (call === undefined) {
        if (!refers) list.add("result-orphaned", at, id);
        continue;
      }
      call.answers += 1;
      if (call.answers > 1) list.add("result-repeated", at, id);
      if (call.output !== item["type"]) list.add("result-invalid", at, id);
    }
  }
  for (const [id, call] of calls) if (call.answers === 0) list.add("call-unanswered", call.at, id);
}
