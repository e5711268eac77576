import { isBlank, isRecord } from "./json-values.ts";

/**
 * Arguments of a call as they were found. `whole`: as the vendor wants them. `mended`: `written` has the same meaning
 * in the right form. `cut`: the stream ended in the middle; `written` keeps the piece, for calls that must stay.
 */
export interface CallArguments {
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
