import { anthropicServerTools } from "./anthropic-server-tools.ts";
import { arrangeAnswers } from "../arrange-answers.ts";
import {
  type Answer,
  type CallPart,
  type Dialect,
  type Draft,
  objectArguments,
  type Part,
  type ResultPart,
  withParts,
} from "../draft.ts";
import {
  asText,
  INTERRUPTED,
  isBlank,
  isRecord,
  isText,
  type JsonRecord,
  type KnownResult,
  recordsOf,
  type RepairLog,
} from "../repair.ts";

/**
 * Anthropic Messages. Every tool_use is answered in the very next user message, results before anything else; ids are
 * unique; no text is blank; thinking is signed and never comes last.
 */
export function anthropicDialect(messages: readonly unknown[]): Dialect {
  const isStranded = anthropicServerTools(messages);
  return {
    shape: "anthropic",
    uniqueIds: "history",
    read: readMessage,
    write: ({ source, parts, role }) => ({
      ...(isRecord(source) ? source : { role }),
      content: parts.map((part) => part.value),
    }),
    answer,
    rename: (part, id) => ({
      ...part,
      id,
      value: { ...part.value, [part.kind === "call" ? "id" : "tool_use_id"]: id },
    }),
    clean: (drafts, log) => drafts.map((draft) => cleanDraft(draft, { isStranded, log })),
    arrange: (drafts, arrangement) =>
      arrangeAnswers(drafts, arrangement, { role: "user", where: "next", perMessage: "many" }),
    finish: trimEnd,
  };
}

function readMessage(message: unknown, at: number, log: RepairLog): Draft {
  const source = isRecord(message) ? message : {};
  const { content } = source;
  const blocks = typeof content === "string" ? textBlocks(content) : recordsOf(content);
  const role = asText(source["role"]);
  const parts = blocks.map((block) => readBlock(block, { role, at, log }));
  const changed = parts.some((part, index) => part.value !== blocks[index]);
  return { at, role, source: message, parts, changed };
}

const textBlocks = (text: string): readonly JsonRecord[] => (isBlank(text) ? [] : [{ type: "text", text }]);

interface Reading {
  readonly role: string;
  readonly at: number;
  readonly log: RepairLog;
}

function readBlock(block: JsonRecord, reading: Reading): Part {
  if (block["type"] === "tool_result") return readResult(block, reading);
  if (block["type"] !== "tool_use") return { kind: "other", value: block };
  const { id, name } = block;
  if (!isText(id) || !isText(name)) return { kind: "unusable", value: block };
  const { state, args, written } = objectArguments(block["input"]);
  const value = state === "whole" ? block : { ...block, input: written };
  return { kind: "call", id, name, args, state, value };
}

function answer(call: CallPart, known: KnownResult | undefined): Answer {
  const failed = known === undefined || known.failed === true;
  const content = known === undefined ? INTERRUPTED : knownContent(known);
  const value = {
    type: "tool_result",
    tool_use_id: call.id,
    content,
    ...(failed ? { is_error: true } : {}),
  };
  const kind = known === undefined ? "marked-interrupted" : "answered-from-journal";
  return { kind, part: { kind: "result", id: call.id, interrupted: known === undefined, value } };
}

/** A recorded failure needs words: the vendor refuses an error without content. */
function knownContent({ result, failed }: KnownResult): string {
  const text = asText(result);
  return failed === true && isBlank(text) ? "the tool failed without a message" : text;
}

interface Cleaning {
  readonly isStranded: (block: JsonRecord) => boolean;
  readonly log: RepairLog;
}

function cleanDraft(draft: Draft, { isStranded, log }: Cleaning): Draft {
  const parts = draft.parts.filter((part) => {
    if (part.kind !== "other") return true;
    const { type } = part.value;
    if (type === "text" && isBlank(part.value["text"])) log.add("empty-block-removed", draft.at);
    else if (type === "thinking" && !isText(part.value["signature"]))
      log.add("unfinished-reasoning-removed", draft.at);
    else if (isStranded(part.value)) log.add("unfinished-call-removed", draft.at, strandedId(part.value));
    else return true;
    return false;
  });
  while (draft.role === "assistant" && isThinking(parts.at(-1))) {
    parts.pop();
    log.add("unfinished-reasoning-removed", draft.at);
  }
  return withParts(draft, parts);
}

const strandedId = (block: JsonRecord): string => asText(block["id"] ?? block["tool_use_id"]);

const isThinking = (part: Part | undefined): boolean =>
  part?.kind === "other" && ["thinking", "redacted_thinking"].includes(asText(part.value["type"]));

/** The vendor refuses a last assistant message that ends with white space. */
function trimEnd(drafts: readonly Draft[], log: RepairLog): readonly Draft[] {
  const last = drafts.at(-1);
  const part = last?.parts.at(-1);
  if (last?.role !== "assistant" || part?.kind !== "other" || part.value["type"] !== "text") return drafts;
  const text = asText(part.value["text"]);
  if (text === text.trimEnd()) return drafts;
  log.add("trailing-space-removed", last.at);
  const trimmed: Part = { kind: "other", value: { ...part.value, text: text.trimEnd() } };
  return [...drafts.slice(0, -1), withParts(last, [...last.parts.slice(0, -1), trimmed])];
}

const BLOCK_TYPES = ["text", "image", "document", "search_result", "tool_reference", "browser_state"];

/** A tool_result block, given the form the vendor accepts: blocks it knows, none of them blank, and words for an error. */
function readResult(
  block: JsonRecord,
  { at, log }: { readonly at: number; readonly log: RepairLog },
): ResultPart {
  const id = asText(block["tool_use_id"] ?? "");
  const content = validContent(block);
  const value = content === block["content"] ? block : { ...block, content };
  if (value !== block) log.add("result-made-valid", at, id);
  return { kind: "result", id, interrupted: content === INTERRUPTED, value };
}

function validContent(block: JsonRecord): unknown {
  const content = acceptedContent(block["content"]);
  const empty = Array.isArray(content) ? content.length === 0 : isBlank(content);
  return block["is_error"] === true && empty ? "the tool failed without a message" : content;
}

function acceptedContent(content: unknown): unknown {
  if (content === undefined || typeof content === "string") return content;
  if (content === null) return "";
  const blocks = recordsOf(content);
  const known = blocks.every((block) => BLOCK_TYPES.includes(asText(block["type"])));
  if (!Array.isArray(content) || blocks.length !== content.length || !known) return asText(content);
  const full = blocks.filter((block) => block["type"] !== "text" || !isBlank(block["text"]));
  return full.length === content.length ? content : full;
}
