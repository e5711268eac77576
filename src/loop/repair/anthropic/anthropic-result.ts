import type { ResultPart } from "../draft.ts";
import { asText, isBlank, recordsOf, type JsonRecord } from "../json-values.ts";
import { INTERRUPTED, type RepairLog } from "../repair.ts";

const BLOCK_TYPES = ["text", "image", "document", "search_result", "tool_reference", "browser_state"];

/** A tool_result block, given the form the vendor accepts: blocks it knows, none of them blank, and words for an error. */
export function readResult(
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
