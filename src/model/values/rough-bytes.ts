/** About how long a value's JSON is: for weighing, without writing it. */
export function roughBytes(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const one of value) bytes += roughBytes(one) + 1;
    return bytes;
  }
  // Not `Object.entries`, which makes lists: this is called for every event.
  for (const name in value)
    bytes += name.length + 4 + roughBytes((value as Readonly<Record<string, unknown>>)[name]);
  return bytes;
}
