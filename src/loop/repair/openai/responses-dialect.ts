import { arrangeOutputs } from "../arrange-outputs.ts";
import { type Answer, type CallPart, type Dialect, type Draft, type Part, textArguments } from "../draft.ts";
import {
  asText,
  isRecord,
  isText,
  type JsonRecord,
  type KnownResult,
  type RepairLog,
  sameJson,
} from "../repair.ts";
import { callIdOf, isUnfinishedHosted, RESPONSES_KINDS } from "./responses-kinds.ts";

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

/** The vendor refuses the same item id twice. Of two versions the later stays: the earlier was still being streamed. */
function dropRepeatedItems(drafts: readonly Draft[], log: RepairLog): readonly Draft[] {
  const kept = new Map<string, Draft>();
  const dropped = new Set<Draft>();
  for (const draft of drafts) {
    const id = itemId(draft);
    if (id === undefined) continue;
    const earlier = kept.get(id);
    const same = earlier !== undefined && sameJson(earlier.parts[0]?.value, draft.parts[0]?.value);
    if (earlier !== undefined) dropped.add(same ? draft : earlier);
    if (!same) kept.set(id, draft);
  }
  for (const draft of dropped) log.add("duplicate-item-removed", draft.at);
  return drafts.filter((draft) => !dropped.has(draft));
}

function itemId(draft: Draft): string | undefined {
  const [part] = draft.parts;
  if (part?.kind !== "other" || part.value["type"] === "item_reference") return undefined;
  return isText(part.value["id"]) ? part.value["id"] : undefined;
}

/** Reasoning stays with what it led to: the vendor refuses it at the end, before an output, or before other people's words. */
function cleanReasoning(drafts: readonly Draft[], log: RepairLog): readonly Draft[] {
  const kept: Draft[] = [];
  for (const draft of drafts.toReversed()) {
    const value = draft.parts[0]?.value;
    const next = kept.at(-1)?.parts[0]?.value;
    if (value?.["type"] === "reasoning" && !isFromModel(next))
      log.add("unfinished-reasoning-removed", draft.at);
    else kept.push(draft);
  }
  return kept.reverse();
}

function isFromModel(item: JsonRecord | undefined): boolean {
  if (item === undefined || asText(item["type"]).endsWith("_output")) return false;
  const { role } = item;
  return role === undefined || role === "assistant";
}
