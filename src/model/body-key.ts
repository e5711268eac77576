/**
 * Names of places in a body. A key is the scopes from the outside in, then kind and name, joined by `/`; names are
 * escaped, so that every key has one reading.
 */
export const escapeName = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
const unescapeName = (text: string): string => text.replaceAll("~1", "/").replaceAll("~0", "~");

export type BodyKind = "step" | "spawn" | "loop" | "wait" | "sleep" | "now" | "random" | "id";

/** What a scope calls a thing: `step:fetch`, `sleep:0`. */
export const recordName = (kind: BodyKind, name: string): string => `${kind}:${escapeName(name)}`;

export const keyOf = (scope: readonly string[], record: string): string => [...scope, record].join("/");

export interface KeyParts {
  readonly scope: readonly string[];
  readonly record: string;
}

export function splitKey(key: string): KeyParts {
  const parts = key.split("/");
  return { scope: parts.slice(0, -1), record: parts.at(-1) ?? "" };
}

/** For people: `fix/7 › think`. */
export const keyText = (key: string): string =>
  key
    .split("/")
    .map((part) => unescapeName(part.slice(part.indexOf(":") + 1)))
    .join(" › ");

/** The scope in which an attempt of a child works. */
export const childScope = (record: string, attempt: number): string =>
  attempt === 1 ? record : `${record}@${String(attempt)}`;

/** The scope of one iteration of a loop. */
export const iterationScope = (record: string, i: number): string => `${record}[${String(i)}]`;
