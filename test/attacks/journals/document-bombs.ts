const NESTED = 50_000;
const MANY = 120_000;

const laughs = (levels: number, each: number): string =>
  Array.from({ length: levels }, (_, level) => {
    const parts = Array.from({ length: each }, () => (level === 0 ? "x" : `*a${String(level - 1)}`));
    return `a${String(level)}: &a${String(level)} [${parts.join(", ")}]`;
  }).join("\n");

const counted = (write: (at: number) => string, between: string): string =>
  Array.from({ length: MANY }, (_, at) => write(at)).join(between);

/** Documents that take few bytes and much time, room or depth of the one that reads them. */
export const BOMBS: Readonly<Record<string, string>> = {
  "aliases of aliases, nine of nine": laughs(9, 9),
  "aliases of aliases, many of two": laughs(40, 2),
  "an alias of what it stands in": "agents: &a { x: { use: *a } }",
  "merges of merges": Array.from({ length: 99 }, (_, at) =>
    at === 0 ? "a0: &a0 { k: v }" : `a${String(at)}: &a${String(at)} { <<: *a${String(at - 1)}, k: v }`,
  ).join("\n"),
  "lists in lists": "[".repeat(NESTED) + "]".repeat(NESTED),
  "lists in lists, never closed": "[".repeat(NESTED),
  "mappings in mappings": `${'{"a":'.repeat(NESTED)}1${"}".repeat(NESTED)}`,
  "mappings in mappings, by indentation": Array.from(
    { length: 1_000 },
    (_, at) => `${" ".repeat(at)}k:`,
  ).join("\n"),
  "a mapping of very many keys": `{${counted((at) => `"k${String(at)}":1`, ",")}}`,
  "keys on very many lines": counted((at) => `k${String(at)}: 1`, "\n"),
  "a list of very many numbers": `[${counted(() => "1", ",")}]`,
  "one very long key": `{"${"k".repeat(1_000_000)}":1}`,
  "one very long number": `[${"1".repeat(1_000_000)}]`,
  "one very long line of quotes": '"'.repeat(300_000),
  "more bytes than any document has": `a: ${"x".repeat(10_000_000)}`,
};
