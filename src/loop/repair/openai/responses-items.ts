import type { Draft } from "../draft.ts";
import { asText, isText, sameJson, type JsonRecord } from "../json-values.ts";
import type { RepairLog } from "../repair.ts";

/** The vendor refuses the same item id twice. Of two versions the later stays: the earlier was still being streamed. */
export function dropRepeatedItems(drafts: readonly Draft[], log: RepairLog): readonly Draft[] {
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
export function cleanReasoning(drafts: readonly Draft[], log: RepairLog): readonly Draft[] {
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
