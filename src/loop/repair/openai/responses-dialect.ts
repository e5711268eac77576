import { textArguments } from "../call-arguments.ts";
import type { Answer, CallPart, Dialect, Draft, Part } from "../draft.ts";
import { arrangeOutputs } from "../arrange-outputs.ts";
import { cleanReasoning, dropRepeatedItems } from "./responses-items.ts";
import { asText, isRecord, isText, type JsonRecord } from "../json-values.ts";
import type { KnownResult } from "../repair.ts";
import { RESPONSES_KINDS, callIdOf, isUnfinishedHosted } from "./responses-kinds.ts";

const CALL_TYPE_BY_OUTPUT = new Map([...RESPONSES_KINDS].map(([type, kind]) => [kind.outputType, type]));

/**
 * OpenAI Responses. Each call has exactly one output of its kind after it, under its call_id; reasoning is followed by
 * what it led to. Where items are only referred to, calls may stand behind the references, so no output is orphaned.
 */
export function responsesDialect(items: readonly unknown[]): Dialect {
  const refers = items.some((item) => isRecord(item) && item["type"] === "item_reference");
  const called = new Set(items.filter(isCallItem).map((item) => item["call_id"]));
  return {
    shape: "openai-responses",
    uniqueIds: "history",
    read: (item, at) => readItem(item, at, (id) => !refers || called.has(id)),
    write: ({ parts }) => parts[0]?.value,
    answer,
    rename: (part, id) => ({ ...part, id, value: withCallId(part.value, id) }),
    clean: dropRepeatedItems,
    arrange: arrangeOutputs,
    finish: cleanReasoning,
  };
}

/** The output of a local shell names its call twice: interfaces differ in which of the two they read. */
const withCallId = (value: JsonRecord, id: string): JsonRecord => ({
  ...value,
  call_id: id,
  ...(value["type"] === "local_shell_call_output" ? { id } : {}),
});

const isCallItem = (item: unknown): item is JsonRecord =>
  isRecord(item) && RESPONSES_KINDS.has(asText(item["type"]));

function readItem(item: unknown, at: number, isOurs: (id: unknown) => boolean): Draft {
  const source = isRecord(item) ? item : {};
  const part = isEmptyMessage(source) ? undefined : readPart(source, isOurs);
  const changed = part?.kind === "call" && part.state !== "whole";
  return { at, role: "item", source: item, parts: part === undefined ? [] : [part], changed };
}

/** A message whose stream had not brought anything yet. */
function isEmptyMessage({ type, role, content }: JsonRecord): boolean {
  if (type !== undefined && type !== "message") return false;
  if (Array.isArray(content)) return content.length === 0;
  return role === "assistant" && content === "";
}

function readPart(item: JsonRecord, isOurs: (id: unknown) => boolean): Part {
  const type = asText(item["type"]);
  if (isUnfinishedHosted(item)) return { kind: "unusable", value: item };
  const id = callIdOf(item);
  const callType = CALL_TYPE_BY_OUTPUT.get(type);
  if (callType !== undefined && isOurs(id)) {
    const interrupted = RESPONSES_KINDS.get(callType)?.isInterrupted(item) ?? false;
    return { kind: "result", id: asText(id ?? ""), interrupted, value: item };
  }
  if (!RESPONSES_KINDS.has(type)) return { kind: "other", value: item };
  const named = type === "function_call" || type === "custom_tool_call";
  if (!isText(id) || (named && !isText(item["name"]))) return { kind: "unusable", value: item };
  const name = isText(item["name"]) ? item["name"] : type;
  if (type !== "function_call") {
    const args = item["input"] ?? item["action"] ?? item["operation"];
    return { kind: "call", id, name, args, state: "whole", value: item };
  }
  const { state, args, written } = textArguments(item["arguments"]);
  const value = state === "whole" ? item : { ...item, arguments: written };
  return { kind: "call", id, name, args, state, value };
}

function answer(call: CallPart, known: KnownResult | undefined): Answer | undefined {
  const kind = RESPONSES_KINDS.get(asText(call.value["type"]));
  const fields = kind?.output(known);
  if (kind === undefined || fields === undefined) return undefined;
  return {
    kind: known === undefined ? "marked-interrupted" : "answered-from-journal",
    part: {
      kind: "result",
      id: call.id,
      interrupted: known === undefined,
      value: withCallId({ type: kind.outputType, ...fields }, call.id),
    },
  };
}
