import { arrangeAnswers } from "../arrange-answers.ts";
import {
  type Answer,
  type CallPart,
  type Dialect,
  type Draft,
  type OtherPart,
  type Part,
  textArguments,
} from "../draft.ts";
import {
  asText,
  INTERRUPTED,
  isRecord,
  isText,
  type JsonRecord,
  type KnownResult,
  recordsOf,
  type RepairLog,
  without,
} from "../repair.ts";

/**
 * OpenAI Chat Completions. The tool messages of an assistant's tool_calls follow it directly, one each, and stand
 * nowhere else. Ids need be unique within a message only: servers of the same interface use them again.
 */
export const openaiChatDialect: Dialect = {
  shape: "openai-chat",
  uniqueIds: "message",
  read: readMessage,
  write: writeMessage,
  answer,
  rename: (part, id) => ({
    ...part,
    id,
    value: { ...part.value, [part.kind === "call" ? "id" : "tool_call_id"]: id },
  }),
  clean: (drafts) => drafts,
  arrange: (drafts, arrangement) =>
    arrangeAnswers(drafts, arrangement, { role: "tool", where: "run", perMessage: "one" }),
};

function readMessage(message: unknown, at: number, log: RepairLog): Draft {
  const source = isRecord(message) ? message : {};
  const role = asText(source["role"]);
  if (role === "tool") return readToolMessage(source, at, log);
  const body: OtherPart = { kind: "other", value: source };
  const calls = role === "assistant" ? recordsOf(source["tool_calls"]).map(readCall) : [];
  const parts: Part[] = hasSubstance(source, role) ? [body, ...calls] : calls;
  // The vendor refuses an empty list of calls, and so does a message without calls the null that stands for none.
  const listed = role === "assistant" && source["tool_calls"] !== undefined;
  const changed =
    (listed && calls.length === 0) || calls.some((part) => part.kind === "call" && part.state !== "whole");
  return { at, role, source: message, parts, changed: changed && parts.length > 0 };
}

function hasSubstance(source: JsonRecord, role: string): boolean {
  const { content } = source;
  if (Array.isArray(content) && content.length > 0) return true;
  if (role !== "assistant") return !Array.isArray(content);
  return (
    isText(content) ||
    isText(source["refusal"]) ||
    isRecord(source["audio"]) ||
    isRecord(source["function_call"])
  );
}

function readCall(call: JsonRecord): Part {
  const { id } = call;
  const custom = call["type"] === "custom";
  const content = call[custom ? "custom" : "function"];
  if (!isText(id) || !isRecord(content) || !isText(content["name"])) return { kind: "unusable", value: call };
  const shared = { kind: "call", id, name: content["name"] } as const;
  // A custom tool takes any text, so it is not known whether it arrived whole.
  if (custom) return { ...shared, args: content["input"], state: "whole", value: call };
  const { state, args, written } = textArguments(content["arguments"]);
  const value = state === "whole" ? call : { ...call, function: { ...content, arguments: written } };
  return { ...shared, args, state, value };
}

function readToolMessage(source: JsonRecord, at: number, log: RepairLog): Draft {
  const { content } = source;
  const id = asText(source["tool_call_id"] ?? "");
  const valid = isText(content) || content === "" || (Array.isArray(content) && content.length > 0);
  const value = valid ? source : { ...source, content: isRecord(content) ? asText(content) : "" };
  if (!valid) log.add("result-made-valid", at, id);
  const parts: readonly Part[] = [{ kind: "result", id, interrupted: content === INTERRUPTED, value }];
  return { at, role: "tool", source, parts, changed: !valid };
}

function writeMessage({ source, parts }: Draft): unknown {
  const [first] = parts;
  if (first?.kind === "result") return first.value;
  const rest = without(isRecord(source) ? source : {}, ["tool_calls"]);
  const calls = parts.filter((part) => part.kind === "call").map((part) => part.value);
  return calls.length === 0 ? rest : { ...rest, tool_calls: calls };
}

function answer(call: CallPart, known: KnownResult | undefined): Answer {
  const content = known === undefined ? INTERRUPTED : asText(known.result);
  return {
    kind: known === undefined ? "marked-interrupted" : "answered-from-journal",
    part: {
      kind: "result",
      id: call.id,
      interrupted: known === undefined,
      value: { role: "tool", tool_call_id: call.id, content },
    },
  };
}
