/** Looks into JSON of unknown shape: what is not there, or not of the kind that is asked for, is undefined. */
export type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (!isJson(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/** A count or an amount: never negative, never infinite. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === "number" && Number.isFinite(found) && found >= 0 ? found : undefined;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function valuesAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return isJson(found) ? Object.values(found) : [];
}

/** Where an object begins, after what JSON calls space. */
const OBJECT_BEGINS = /^[ \t\r\n]*\{/u;

/** The object a text holds, if it holds one. A failed parse is dear, and a flood of plain text would fail at each line. */
export function parseJson(text: string): Json | undefined {
  if (!OBJECT_BEGINS.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
