/**
 * Names of places in a workflow function. A key is the scopes from the outside in, then kind and name, joined by `/`;
 * names are escaped, so that every key has one reading.
 */
export const escapeName = (name: string): string =>
  name.includes("~") || name.includes("/") ? name.replaceAll("~", "~0").replaceAll("/", "~1") : name;
const unescapeName = (text: string): string => text.replaceAll("~1", "/").replaceAll("~0", "~");

export type RecordKind = "step" | "spawn" | "loop" | "wait" | "sleep" | "now" | "random" | "id" | "patch";

/** What a scope calls a thing: `step:fetch`, `sleep:0`. */
export const recordName = (kind: RecordKind, name: string): string => `${kind}:${escapeName(name)}`;

export const keyOf = (scope: readonly string[], record: string): string =>
  scope.length === 0 ? record : `${scope.join("/")}/${record}`;

const OUTERMOST: readonly string[] = [];

export interface KeyParts {
  readonly scope: readonly string[];
  readonly record: string;
}

export function splitKey(key: string): KeyParts {
  const end = key.lastIndexOf("/");
  return end === -1
    ? { scope: OUTERMOST, record: key }
    : { scope: key.slice(0, end).split("/"), record: key.slice(end + 1) };
}

/** For people: `fix/7 › think`. */
export const keyText = (key: string): string => key.split("/").map(partText).join(" › ");

/** One part of a key, for people: the name without its kind and attempt. */
export const partText = (part: string): string =>
  unescapeName(recordOfScope(part).slice(part.indexOf(":") + 1));

/** The scope in which an attempt of a child works. No name holds `~@`: a `~` in names is always escaped. */
export const childScope = (record: string, attempt: number): string =>
  attempt === 1 ? record : `${record}${ATTEMPT}${String(attempt)}`;
const ATTEMPT = "~@";

/** The child whose attempt a scope is. */
export const recordOfScope = (scope: string): string => {
  const at = scope.lastIndexOf(ATTEMPT);
  return at === -1 ? scope : scope.slice(0, at);
};

/** The scope of one iteration of a loop. */
export const iterationScope = (record: string, i: number): string => `${record}[${String(i)}]`;

/** Inside any attempt of that child. */
export const insideChild =
  (child: string) =>
  (key: string): boolean =>
    key.startsWith(`${child}/`) || key.startsWith(`${child}${ATTEMPT}`);

/** Inside that iteration of a loop. */
export const insideIteration =
  (loop: string, i: number) =>
  (key: string): boolean =>
    key.startsWith(`${iterationScope(loop, i)}/`);
