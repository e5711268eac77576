import {
  isBlank,
  isRecord,
  type JsonRecord,
  type KnownResult,
  type MessageShape,
  type RepairKind,
  type RepairLog,
} from "./repair.ts";

/** A call as every vendor's shape has it. `value` is what is written back, with valid arguments. */
export interface CallPart {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly state: CallArguments["state"];
  readonly value: JsonRecord;
}

/** A result as every vendor's shape has it. `interrupted` is our own mark, which a real result replaces. */
export interface ResultPart {
  readonly kind: "result";
  readonly id: string;
  readonly interrupted: boolean;
  readonly value: JsonRecord;
}

/** Anything else that a message holds; `unusable` is a call that lacks its id or name. */
export interface OtherPart {
  readonly kind: "other" | "unusable";
  readonly value: JsonRecord;
}

export type Part = CallPart | ResultPart | OtherPart;

/** A message taken apart. One that is not `changed` is handed back as it came. */
export interface Draft {
  readonly at: number;
  readonly role: string;
  readonly source: unknown;
  readonly parts: readonly Part[];
  readonly changed: boolean;
}

export interface Answer {
  readonly part: ResultPart;
  readonly kind: RepairKind;
}

/** Finds the answer of each call; the same call gets the same answer. */
export type Answers = ReadonlyMap<CallPart, ResultPart>;

/** What `arrange` needs to bring every result to its call. */
export interface Arrangement {
  readonly answers: Answers;
  readonly answer: (call: CallPart) => Answer | undefined;
  readonly log: RepairLog;
}

/** One vendor's shape: how it is read and written, and where it wants results. */
export interface Dialect {
  readonly shape: MessageShape;
  /** Where the same call id may not stand twice. */
  readonly uniqueIds: "history" | "message";
  read(message: unknown, at: number, log: RepairLog): Draft;
  write(draft: Draft): unknown;
  /** A result for a call; `undefined` where the shape has no words for it. */
  answer(call: CallPart, known: KnownResult | undefined): Answer | undefined;
  rename<P extends CallPart | ResultPart>(part: P, id: string): P;
  /** Removes what the vendor refuses for reasons other than calls and results. */
  clean(drafts: readonly Draft[], log: RepairLog): readonly Draft[];
  arrange(drafts: readonly Draft[], arrangement: Arrangement): readonly Draft[];
  finish?(drafts: readonly Draft[], log: RepairLog): readonly Draft[];
}

/** The draft with other parts; the same draft where they are the same. */
export function withParts(draft: Draft, parts: readonly Part[]): Draft {
  const same =
    parts.length === draft.parts.length && parts.every((part, index) => part === draft.parts[index]);
  return same ? draft : { ...draft, parts, changed: true };
}

export const callsOf = (draft: Draft): readonly CallPart[] =>
  draft.parts.filter((part) => part.kind === "call");

/**
 * Arguments of a call as they were found. `whole`: as the vendor wants them. `mended`: `written` has the same meaning
 * in the right form. `cut`: the stream ended in the middle; `written` keeps the piece, for calls that must stay.
 */
interface CallArguments {
  readonly state: "whole" | "mended" | "cut";
  readonly args: unknown;
  readonly written: unknown;
}

/** Where a vendor wants an object (Anthropic and AI SDK `input`). */
export function objectArguments(raw: unknown): CallArguments {
  if (isRecord(raw)) return { state: "whole", args: raw, written: raw };
  if (raw === undefined || raw === null || (typeof raw === "string" && isBlank(raw)))
    return { state: "mended", args: {}, written: {} };
  const parsed = typeof raw === "string" ? parseJson(raw) : { value: raw };
  if (parsed === undefined) return { state: "cut", args: raw, written: { unparsed: raw } };
  const written = isRecord(parsed.value) ? parsed.value : { unparsed: raw };
  return { state: "mended", args: parsed.value, written };
}

/** Where a vendor wants JSON as text (OpenAI `arguments`). */
export function textArguments(raw: unknown): CallArguments {
  if (raw === undefined || raw === null || (typeof raw === "string" && isBlank(raw)))
    return { state: "mended", args: {}, written: "{}" };
  if (typeof raw !== "string") return { state: "mended", args: raw, written: JSON.stringify(raw) };
  const parsed = parseJson(raw);
  if (parsed === undefined) return { state: "cut", args: raw, written: JSON.stringify({ unparsed: raw }) };
  return { state: "whole", args: parsed.value, written: raw };
}

/** `undefined` for text that is not JSON, which is an answer here and not an error. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
