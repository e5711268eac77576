import {
  asText,
  INTERRUPTED,
  isRecord,
  isText,
  type JsonRecord,
  type KnownResult,
  type KnownResults,
  recordsOf,
  type RepairLog,
  without,
} from "../repair.ts";

interface Repairing {
  readonly known: KnownResults | undefined;
  readonly log: RepairLog;
}

/**
 * The AI SDK's UIMessage, where a call and its result are one part with a state. A call that waits for a person's
 * approval stays as it is; one that was approved may have begun, so it is treated like any other without a result.
 */
export function repairUiMessages(messages: readonly unknown[], repairing: Repairing): readonly unknown[] {
  const repaired: unknown[] = [];
  for (const [at, message] of messages.entries()) {
    const parts = isRecord(message) ? recordsOf(message["parts"]) : [];
    const mended = repairParts(parts, at, repairing);
    const same = mended.length === parts.length && mended.every((part, index) => part === parts[index]);
    if (parts.length === 0) repairing.log.add("empty-message-removed", at);
    if (mended.some((part) => part["type"] !== "step-start"))
      repaired.push(same || !isRecord(message) ? message : { ...message, parts: mended });
  }
  return repaired;
}

function repairParts(parts: readonly JsonRecord[], at: number, repairing: Repairing): readonly JsonRecord[] {
  const kept = new Map<unknown, JsonRecord>();
  for (const part of parts.filter(isToolPart)) {
    const earlier = kept.get(part["toolCallId"]);
    // The SDK changes a call's part as it goes, so of two the later is newer; yet an outcome is never given up for none.
    if (earlier === undefined || !hasOutcome(earlier) || hasOutcome(part)) kept.set(part["toolCallId"], part);
  }
  return parts.flatMap((part) => {
    if (!isToolPart(part)) return [part];
    if (kept.get(part["toolCallId"]) !== part) {
      repairing.log.add("duplicate-call-removed", at, asText(part["toolCallId"]));
      return [];
    }
    const settled = settle(part, at, repairing);
    return settled === undefined ? [] : [settled];
  });
}

const hasOutcome = (part: JsonRecord): boolean =>
  asText(part["state"]).startsWith("output-") && part["errorText"] !== INTERRUPTED;

const isToolPart = (part: JsonRecord): boolean =>
  part["type"] === "dynamic-tool" || asText(part["type"]).startsWith("tool-");

function settle(part: JsonRecord, at: number, { known, log }: Repairing): JsonRecord | undefined {
  const id = asText(part["toolCallId"] ?? "");
  const { state } = part;
  const open = state === "input-available" || state === "input-streaming" || isApproved(part);
  if (isDenied(part)) {
    log.add("denial-recorded", at, id);
    return { ...part, state: "output-denied" };
  }
  if (!open && part["errorText"] !== INTERRUPTED) return part;
  if (part["providerExecuted"] === true && state !== "input-streaming") return part;
  const found = isText(id) ? known?.(id, toolName(part), part["input"]) : undefined;
  if (found !== undefined) {
    log.add("answered-from-journal", at, id);
    return answered(part, found);
  }
  if (!open) return part;
  log.add(state === "input-streaming" ? "unfinished-call-removed" : "marked-interrupted", at, id);
  return state === "input-streaming" ? undefined : answered(part, { result: INTERRUPTED, failed: true });
}

const isApproved = (part: JsonRecord): boolean =>
  part["state"] === "approval-responded" && approvalOf(part)["approved"] === true;

const isDenied = (part: JsonRecord): boolean =>
  part["state"] === "approval-responded" && approvalOf(part)["approved"] === false;

const approvalOf = (part: JsonRecord): JsonRecord => (isRecord(part["approval"]) ? part["approval"] : {});

const toolName = (part: JsonRecord): string =>
  part["type"] === "dynamic-tool" ? asText(part["toolName"]) : asText(part["type"]).slice("tool-".length);

function answered(part: JsonRecord, { result, failed }: KnownResult): JsonRecord {
  const rest = without(part, ["errorText", "output", "rawInput", "inputEncoding"]);
  const input = rest["input"] ?? {};
  return failed === true
    ? { ...rest, input, state: "output-error", errorText: asText(result) }
    : { ...rest, input, state: "output-available", output: result };
}
