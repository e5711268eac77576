/**
 * What changed between two states of a loop, so that a growing list costs its growth and not its length.
 * `prev` is frozen and shared: a part that is the same object is the same value, and is not looked into.
 */
export type StatePatch =
  | { readonly same: true }
  | { readonly set: unknown }
  /** Members changed, and members gone. */
  | { readonly in: Readonly<Record<string, StatePatch>>; readonly gone?: readonly string[] }
  /** The first `keep` elements stay, some of them changed; `add` comes after them. */
  | {
      readonly keep: number;
      readonly at?: Readonly<Record<string, StatePatch>>;
      readonly add?: readonly unknown[];
    };

const SAME: StatePatch = { same: true };
const isSame = (patch: StatePatch): boolean => "same" in patch;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("toJSON" in value);

export function diffState(prev: unknown, next: unknown): StatePatch {
  if (Object.is(prev, next)) return SAME;
  if (Array.isArray(prev) && Array.isArray(next)) return diffArray(prev, next);
  if (isObject(prev) && isObject(next)) return diffObject(prev, next);
  return { set: next };
}

function diffArray(prev: readonly unknown[], next: readonly unknown[]): StatePatch {
  const keep = Math.min(prev.length, next.length);
  const at: Record<string, StatePatch> = {};
  for (let index = 0; index < keep; index += 1) {
    if (Object.is(prev[index], next[index])) continue;
    const patch = diffState(prev[index], next[index]);
    if (!isSame(patch)) at[index] = patch;
  }
  const add = next.slice(keep);
  if (keep === prev.length && add.length === 0 && Object.keys(at).length === 0) return SAME;
  return { keep, ...(Object.keys(at).length > 0 ? { at } : {}), ...(add.length > 0 ? { add } : {}) };
}

function diffObject(prev: Record<string, unknown>, next: Record<string, unknown>): StatePatch {
  const changed: Record<string, StatePatch> = {};
  for (const [name, value] of Object.entries(next)) {
    if (value === undefined) continue;
    const patch = Object.hasOwn(prev, name) ? diffState(prev[name], value) : { set: value };
    if (!isSame(patch)) changed[name] = patch;
  }
  const gone = Object.keys(prev).filter((name) => next[name] === undefined);
  if (Object.keys(changed).length === 0 && gone.length === 0) return SAME;
  return { in: changed, ...(gone.length > 0 ? { gone } : {}) };
}

/** The state after a patch that came out of JSON: shares what did not change, and is frozen where it is new. */
export function patchState(prev: unknown, patch: StatePatch): unknown {
  if ("same" in patch) return prev;
  if ("set" in patch) return freezeDeep(patch.set);
  if ("keep" in patch) return patchArray(prev as readonly unknown[], patch);
  const next: Record<string, unknown> = { ...(prev as Record<string, unknown>) };
  for (const name of patch.gone ?? []) Reflect.deleteProperty(next, name);
  for (const [name, inner] of Object.entries(patch.in)) next[name] = patchState(next[name], inner);
  return Object.freeze(next);
}

function patchArray(prev: readonly unknown[], patch: Extract<StatePatch, { keep: number }>): unknown {
  const next = prev.slice(0, patch.keep);
  for (const [index, inner] of Object.entries(patch.at ?? {}))
    next[Number(index)] = patchState(next[Number(index)], inner);
  for (const value of patch.add ?? []) next.push(freezeDeep(value));
  return Object.freeze(next);
}

/** Values that came out of JSON have no circles. */
export function freezeDeep(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freezeDeep(inner);
  return Object.freeze(value);
}
