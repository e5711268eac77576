import { inspect } from "node:util";
import { pathText } from "./path-text.ts";
import type { ReadDocument } from "./read-document.ts";
import { IS_TIME_KEY } from "./written-durations.ts";
import { didYouMean, nearest } from "../shell/nearest.ts";
import type { configSchema } from "../../model/settings/config.ts";

type SafeResult = ReturnType<typeof configSchema.safeParse>;
export type Issue = NonNullable<SafeResult["error"]>["issues"][number];

const PROBLEMS_MAX = 10;
const SEEN_CHARS_MAX = 60;
const KEY_CHARS_MAX = 200;

/** One sentence per problem: its place, the key's path, the value seen, what was expected, and the nearest valid key. */
export function describeIssues(
  issues: readonly Issue[],
  document: ReadDocument,
  jsonSchema: unknown,
): string[] {
  const sentences = firstOf(issues).flatMap((issue) => describe(issue, document, jsonSchema));
  const left = issues.reduce((count, issue) => count + countOf(issue), 0) - sentences.length;
  return left <= 0 ? sentences : [...sentences, `and ${String(left)} more`];
}

const countOf = (issue: Issue): number => (issue.code === "unrecognized_keys" ? issue.keys.length : 1);

/** So many problems as are printed; a place is looked for in the whole text, and a file may have a million. */
function firstOf(issues: readonly Issue[]): Issue[] {
  const first: Issue[] = [];
  let room = PROBLEMS_MAX;
  for (const issue of issues) {
    if (room <= 0) break;
    first.push(issue.code === "unrecognized_keys" ? { ...issue, keys: issue.keys.slice(0, room) } : issue);
    room -= countOf(issue);
  }
  return first;
}

function describe(issue: Issue, { value, places }: ReadDocument, jsonSchema: unknown): string[] {
  const at = shortened(pathText(issue.path), KEY_CHARS_MAX);
  const placed = (text: string, path = issue.path, part: "key" | "value" = "value"): string => {
    const place = places.at(path, part);
    return place === undefined ? text : `${place}: ${text}`;
  };
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) =>
      placed(unknownKey(key, issue.path, jsonSchema), [...issue.path, key], "key"),
    );
  const seen = seenAt(value, issue.path);
  if (seen === undefined)
    return [placed(`${at} is missing; ${wantedOf(issue)}`, issue.path.slice(0, -1), "key")];
  if (issue.code === "invalid_key")
    return [placed(`${at}: ${issue.issues.map(({ message }) => message).join("; ")}`)];
  return [placed(`${at} is ${seen}; ${wantedOf(issue)}${nearestValue(issue, value)}`)];
}

/** Times may be written as text, which is a number by the time it is checked. */
const isTime = ({ path }: Issue): boolean => IS_TIME_KEY.test(String(path.at(-1) ?? ""));

function unknownKey(key: string, path: readonly PropertyKey[], jsonSchema: unknown): string {
  const known = keysAt(jsonSchema, path);
  const at = shortened(pathText([...path, key]), KEY_CHARS_MAX);
  const [near] = key.length > KEY_CHARS_MAX ? [] : nearest(key, known);
  if (near !== undefined) return `${at} is not a key here; did you mean "${near}"?`;
  const [elsewhere] = allKeyPaths(jsonSchema).filter((name) => name.split(".").at(-1) === key);
  if (elsewhere !== undefined) return `${at} is not a key here; did you mean "${elsewhere}"?`;
  return `${at} is not a key here; the keys here are ${known.join(", ")}`;
}

/** What should stand there; a rule of our own says so in its message. */
function wantedOf(issue: Issue): string {
  if (issue.code === "invalid_type" && isTime(issue))
    return "expected milliseconds, or a time such as 90s, 10m, 4h";
  if (issue.code === "invalid_type") return `expected ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_value") return `expected ${choiceOf(issue.values.map(String))}`;
  if (issue.code === "too_small")
    return `expected at least ${String(issue.minimum)}${UNITS[issue.origin] ?? ""}`;
  if (issue.code === "too_big")
    return `expected at most ${String(issue.maximum)}${UNITS[issue.origin] ?? ""}`;
  return issue.message;
}

const choiceOf = (values: readonly string[]): string =>
  values.length === 1 ? `${values[0] ?? ""}` : `one of ${values.join(", ")}`;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "a mapping of keys to values",
  record: "a mapping of names to values",
};

const UNITS: Readonly<Record<string, string>> = { string: " characters", array: " entries" };

function nearestValue(issue: Issue, value: unknown): string {
  if (issue.code !== "invalid_value") return "";
  const seen = valueAt(value, issue.path);
  return typeof seen === "string" ? didYouMean(seen, issue.values.map(String)) : "";
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[part];
  }
  return current;
}

/** What stands in the file, short enough to print; undefined for nothing. */
function seenAt(value: unknown, path: readonly PropertyKey[]): string | undefined {
  const seen = valueAt(value, path);
  if (seen === undefined) return undefined;
  if (Array.isArray(seen)) return `a list of ${String(seen.length)}`;
  if (typeof seen === "object" && seen !== null) return "a mapping";
  const text = typeof seen === "string" ? JSON.stringify(seen) : inspect(seen);
  return shortened(text, SEEN_CHARS_MAX);
}

const shortened = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`;

/** The parts of a JSON Schema that show which keys a place may have. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  /** Where a shorthand is allowed too, the last is the whole. */
  readonly anyOf?: readonly SchemaNode[];
}

/** The keys that a schema knows at a path; empty where any name is allowed or none. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  let node: SchemaNode | undefined = asNode(schema);
  for (const part of path) node = node === undefined ? undefined : below(node, part);
  return Object.keys((node?.anyOf?.at(-1) ?? node)?.properties ?? {});
}

/** Every key the schema knows anywhere, with its path: somebody may have put a good key into the wrong section. */
function allKeyPaths(schema: unknown, prefix = ""): string[] {
  const node = asNode(schema);
  return Object.entries(node?.properties ?? {}).flatMap(([key, child]) => [
    `${prefix}${key}`,
    ...allKeyPaths(child, `${prefix}${key}.`),
  ]);
}

function below(short: SchemaNode, part: PropertyKey): SchemaNode | undefined {
  const node = short.anyOf?.at(-1) ?? short;
  if (typeof part === "number") return node.items;
  const known = typeof part === "string" ? node.properties?.[part] : undefined;
  return known ?? asNode(node.additionalProperties);
}

const asNode = (value: unknown): SchemaNode | undefined =>
  typeof value === "object" && value !== null ? value : undefined;
