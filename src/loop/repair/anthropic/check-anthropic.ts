import { isCallId } from "../call-ids.ts";
import { asText, isBlank, isRecord, isText, recordsOf, type JsonRecord } from "../repair.ts";
import { ProblemList, type Problem } from "../problem.ts";

/** The rules of Anthropic Messages for calls and results, and for what a message may hold. */
export function checkAnthropic(messages: readonly unknown[]): readonly Problem[] {
  const list = new ProblemList();
  const seen = new Set<unknown>();
  for (const [at, message] of messages.entries()) {
    if (!isRecord(message) || !isText(message["role"])) {
      list.add("not-a-message", at);
      continue;
    }
    checkContent(message, at, list);
    checkCalls(messages, at, { list, seen });
    checkResults(messages, at, list);
  }
  checkServerTools(messages, list);
  checkEnd(messages, list);
  return list.problems;
}

const blocksOf = (message: unknown): readonly JsonRecord[] =>
  isRecord(message) ? recordsOf(message["content"]) : [];

const typed = (message: unknown, type: string): readonly JsonRecord[] =>
  blocksOf(message).filter((block) => block["type"] === type);

function checkContent(message: JsonRecord, at: number, list: ProblemList): void {
  const { content } = message;
  const empty = Array.isArray(content) ? content.length === 0 : isBlank(content);
  if (empty) list.add("empty-content", at);
  for (const block of blocksOf(message)) {
    if (block["type"] === "text" && isBlank(block["text"])) list.add("empty-content", at);
    if (block["type"] === "thinking" && !isText(block["signature"])) list.add("reasoning-unsigned", at);
  }
  const last = asText(blocksOf(message).at(-1)?.["type"] ?? "");
  if (message["role"] === "assistant" && /^(redacted_)?thinking$/.test(last))
    list.add("reasoning-stranded", at);
}

function checkCalls(
  messages: readonly unknown[],
  at: number,
  { list, seen }: { readonly list: ProblemList; readonly seen: Set<unknown> },
): void {
  const next = messages[at + 1];
  const results = isRecord(next) && next["role"] === "user" ? typed(next, "tool_result") : [];
  for (const call of typed(messages[at], "tool_use")) {
    const { id } = call;
    if (!isText(id) || !isText(call["name"]) || !isRecord(call["input"])) list.add("call-incomplete", at, id);
    if (isText(id) && !isCallId("anthropic", id)) list.add("call-id-invalid", at, id);
    if (seen.has(id)) list.add("call-id-taken", at, id);
    seen.add(id);
    const count = results.filter((result) => result["tool_use_id"] === id).length;
    if (count === 0) list.add("call-unanswered", at, id);
    if (count > 1) list.add("result-repeated", at + 1, id);
  }
}

function checkResults(messages: readonly unknown[], at: number, list: ProblemList): void {
  const called = new Set(typed(messages[at - 1], "tool_use").map((call) => call["id"]));
  let others = 0;
  for (const block of blocksOf(messages[at])) {
    if (block["type"] !== "tool_result") {
      others += 1;
      continue;
    }
    const id = block["tool_use_id"];
    if (!called.has(id)) list.add("result-orphaned", at, id);
    if (others > 0) list.add("result-not-first", at, id);
    if (!isValidResult(block)) list.add("result-invalid", at, id);
  }
}

function isValidResult({ content, is_error: failed }: JsonRecord): boolean {
  const blank = recordsOf(content).some((inner) => inner["type"] === "text" && isBlank(inner["text"]));
  const form = content === undefined || typeof content === "string" || Array.isArray(content);
  const empty = Array.isArray(content) ? content.length === 0 : isBlank(content);
  return form && !blank && !(failed === true && empty);
}

/** Tools that the vendor runs: a call is answered, or still under way at the end; a result has its call before it. */
function checkServerTools(messages: readonly unknown[], list: ProblemList): void {
  const open = new Map<unknown, number>();
  const called = new Set<unknown>();
  for (const [at, message] of messages.entries()) {
    for (const block of blocksOf(message)) {
      const type = asText(block["type"]);
      if (type === "server_tool_use" || type === "mcp_tool_use") {
        open.set(block["id"], at);
        called.add(block["id"]);
      } else if (type !== "tool_result" && type.endsWith("_tool_result")) {
        if (!called.has(block["tool_use_id"])) list.add("result-orphaned", at, block["tool_use_id"]);
        open.delete(block["tool_use_id"]);
      }
    }
  }
  for (const [id, at] of open) {
    const after = messages.slice(at + 1);
    const underWay = after.every(
      (one) => Array.isArray(isRecord(one) && one["content"]) && holdsResultsOnly(one),
    );
    if (!underWay) list.add("call-unanswered", at, id);
  }
}

const holdsResultsOnly = (message: unknown): boolean =>
  blocksOf(message).every((block) => block["type"] === "tool_result");

function checkEnd(messages: readonly unknown[], list: ProblemList): void {
  const last = messages.at(-1);
  if (!isRecord(last) || last["role"] !== "assistant") return;
  const { content } = last;
  const text = typeof content === "string" ? content : blocksOf(last).at(-1)?.["text"];
  if (typeof text === "string" && text !== text.trimEnd()) list.add("trailing-space", messages.length - 1);
}
