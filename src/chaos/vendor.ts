import type { HttpFault } from "./deliver.ts";

/** A tool as a request offers it. */
export interface OfferedTool {
  readonly name: string;
  /** Of the tools that belong together, where a vendor has such; a call must name it. */
  readonly namespace?: string;
  /** `text`: called with plain text instead of arguments. */
  readonly takes: "arguments" | "text";
  /** JSON Schema of its arguments. */
  readonly schema: JsonRecord;
}

/** What is read from a request, whichever vendor it was meant for. */
export interface Conversation {
  readonly model: string;
  readonly stream: boolean;
  /** Entries of its history. */
  readonly messages: number;
  /** How often the model has answered so far. */
  readonly answers: number;
  readonly tools: readonly OfferedTool[];
  readonly system: string;
  /** Everything the user's side said. */
  readonly received: string;
  /** JSON Schema of the answer, where one is asked for. */
  readonly wants?: JsonRecord;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly input: { readonly arguments: JsonRecord } | { readonly text: string };
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
}

export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly say: string;
  readonly calls: readonly ToolCall[];
  readonly usage: Usage;
  readonly stop: "end" | "length" | "refusal";
}

/** Why no answer is given. */
export type Failure =
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "fault"; readonly fault: HttpFault; readonly nowMs: number };

export interface HttpError {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** How one vendor's interface is spoken. */
export interface Vendor {
  readonly name: string;
  /** Reads a request to `path`. */
  read(body: JsonRecord, path: string): Conversation;
  /** What the vendor would say of a history that breaks its rules; undefined for one that does not. */
  refuse(body: JsonRecord): string | undefined;
  whole(answer: Answer): unknown;
  /** The answer as the pieces of an event stream. */
  stream(answer: Answer): readonly string[];
  /** The piece of an event stream that says that it failed. */
  streamError(): string;
  error(failure: Failure): HttpError;
  countTokens(tokens: number): unknown;
}

export const event = (name: string, data: unknown): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
export const dataOnly = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

const PIECE_CHARS = 24;

/** Text as a model streams it. */
export const pieces = (text: string): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / PIECE_CHARS) }, (_, at) =>
    text.slice(at * PIECE_CHARS, (at + 1) * PIECE_CHARS),
  );

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A field that should be a record, or an empty one. */
export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/** The records of a list; nothing else of it, and nothing where there is no list. */
export const recordsOf = (value: unknown): readonly JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Every string anywhere in a value, joined: for looking for words, regardless of the shape. */
export function allText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(allText).join("\n");
  return isRecord(value) ? Object.values(value).map(allText).join("\n") : "";
}
