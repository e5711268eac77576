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

/** Equality of JSON values, whatever the order of their keys. */
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
