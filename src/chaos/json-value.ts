export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A field that should be a record, or an empty one. */
export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/** The records of a list; nothing else of it, and nothing where there is no list. */
export const recordsOf = (value: unknown): readonly JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Every string anywhere in a value, joined: for looking for words, whatever the shape. */
export function allText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(allText).join("\n");
  return isRecord(value) ? Object.values(value).map(allText).join("\n") : "";
}
