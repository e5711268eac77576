export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

export const isBlank = (value: unknown): boolean => typeof value !== "string" || value.trim() === "";

/** The records of a list; anything else in it is no block of any vendor. */
export const recordsOf = (value: unknown): readonly JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

export const without = (record: JsonRecord, keys: readonly string[]): JsonRecord =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

/** What a tool message can carry: text as it is, everything else as JSON. */
export const asText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "null");

/** Equality of JSON values, regardless of the order of their keys. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => key in right && sameJson(left[key], right[key]))
  );
}

/** The message histories that can be repaired, by whose rules they follow. */
export const MESSAGE_SHAPES = ["anthropic", "openai-chat", "openai-responses", "ai-sdk"] as const;
export type MessageShape = (typeof MESSAGE_SHAPES)[number];

/** Everything a repair may do to a history, by stable name. */
export const REPAIR_KINDS = {
  "answered-from-journal": "a call without a result was given the recorded one",
  "marked-interrupted": "a call without a result was given one that says its outcome is not known",
  "denial-recorded": "a call that a person refused was given a result that says so",
  "duplicate-result-removed": "a second result of the same call was removed",
  "orphaned-result-removed": "a result without its call was removed",
  "result-moved": "a result was moved to where its call expects it",
  "result-made-valid": "a result was given the form that the vendor accepts",
  "duplicate-call-removed": "a call that was recorded twice was removed once",
  "call-renamed": "a different call under an id already taken was given an id of its own",
  "call-id-made-valid":
    "a call whose id the vendor does not accept was given one that it does, and its result too",
  "unfinished-call-removed":
    "a call whose name or arguments never arrived whole was removed; it cannot have run",
  "unanswerable-call-removed": "a call whose result cannot be put into words was removed",
  "arguments-made-valid": "a call's arguments were given the form that the vendor accepts",
  "unfinished-reasoning-removed": "reasoning that is unsigned, or that nothing follows, was removed",
  "duplicate-item-removed": "an item that was recorded twice was removed once",
  "empty-block-removed": "a block without content was removed",
  "empty-message-removed": "a message without content was removed",
  "trailing-space-removed": "white space at the end of the last assistant message was removed",
} as const;
export type RepairKind = keyof typeof REPAIR_KINDS;

export interface Repair {
  readonly kind: RepairKind;
  /** Index of the message or item in the history as it was given. */
  readonly at: number;
  readonly callId?: string;
  /** The kind in words, for logs. */
  readonly detail: string;
}

/** What the journal knows of a call: its result, and whether that result is a failure. */
export interface KnownResult {
  readonly result: unknown;
  readonly failed?: boolean;
}

export type KnownResults = (callId: string, name: string, args: unknown) => KnownResult | undefined;

export interface RepairOptions {
  /** Derived from the messages where it is left out. */
  readonly shape?: MessageShape;
  /** Answers from the journal. Without it, every call without a result is marked interrupted. */
  readonly known?: KnownResults;
}

/** The words that stand for an outcome nobody recorded. They never claim success, failure, or that nothing happened. */
export const INTERRUPTED =
  "interrupted: the outcome of this call is not known; it may or may not have taken effect. Check before calling again.";

/** The repairs made so far, in order. */
export class RepairLog {
  readonly repairs: Repair[] = [];

  add(kind: RepairKind, at: number, callId?: string): void {
    this.repairs.push({ kind, at, ...(callId === undefined ? {} : { callId }), detail: REPAIR_KINDS[kind] });
  }
}
