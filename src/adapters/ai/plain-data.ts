const DATE = "holdfast:date";
const BYTES = "holdfast:bytes";

/** Replies of models hold times and files; in the journal they are data, and come back as what they were. */
export function toPlain(value: unknown): unknown {
  if (value instanceof Date) return { [DATE]: value.toISOString() };
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString("base64") };
  if (value instanceof URL) return value.href;
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toPlain(inner)]));
}

export function fromPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== "object" || value === null) return value;
  const { [DATE]: date, [BYTES]: bytes } = value as Record<string, unknown>;
  if (typeof date === "string") return new Date(date);
  if (typeof bytes === "string") return new Uint8Array(Buffer.from(bytes, "base64"));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fromPlain(inner)]));
}
