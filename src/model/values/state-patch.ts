import { isLossy, isPlain, symbolKeyOf } from "./lossy-object.ts";

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

/** Compared by its members; anything else that an object may be (a map, an error, bytes) is recorded as a whole. */
const isData = (value: unknown): value is Record<string, unknown> => {
  if (!isObject(value) || isLossy(value) || symbolKeyOf(value) !== undefined) return false;
  return isPlain(value) || Object.keys(value).length > 0;
};

export function diffState(prev: unknown, next: unknown): StatePatch {
  if (Object.is(prev, next)) return SAME;
  if (Array.isArray(prev) && Array.isArray(next)) return diffArray(prev, next);
  if (isObject(prev) && isData(next)) return diffObject(prev, next);
  return { set: next };
}

function diffArray(prev: readonly unknown[], next: readonly unknown[]): StatePatch {
  const keep = Math.min(prev.length, next.length);
  const twin = twins.get(prev);
  const before = twin ?? prev;
  let at: Record<string, StatePatch> | null = null;
  for (let index = twin === undefined ? 0 : otherFrom(twin, next, keep); index < keep; index += 1) {
    if (before[index] === next[index]) continue;
    const patch = diffState(before[index], next[index]);
    if (!isSame(patch)) (at ??= {})[index] = patch;
  }
  const add = next.length > keep ? next.slice(keep) : null;
  if (keep === prev.length && add === null && at === null) return SAME;
  return { keep, ...(at === null ? {} : { at }), ...(add === null ? {} : { add }) };
}

/**
 * Where two lists begin to differ. By itself, only for lists that are not frozen, and four at a time: so the machine
 * makes it fast. It is what an iteration costs that adds to a long list. Not by `===`, which looks into every object
 * to learn its kind: of a long list most are no longer near.
 */
function otherFrom(twin: readonly unknown[], next: readonly unknown[], end: number): number {
  let index = 0;
  while (
    index + 3 < end &&
    Object.is(twin[index], next[index]) &&
    Object.is(twin[index + 1], next[index + 1]) &&
    Object.is(twin[index + 2], next[index + 2]) &&
    Object.is(twin[index + 3], next[index + 3])
  )
    index += 4;
  while (index < end && Object.is(twin[index], next[index])) index += 1;
  return index;
}

function diffObject(prev: Record<string, unknown>, next: Record<string, unknown>): StatePatch {
  const changed: Record<string, StatePatch> = {};
  let anyChanged = false;
  for (const name of Object.keys(next)) {
    const value = next[name];
    if (value === undefined) continue;
    const patch = Object.hasOwn(prev, name) ? diffState(prev[name], value) : { set: value };
    if (isSame(patch)) continue;
    put(changed, name, patch);
    anyChanged = true;
  }
  const gone = Object.keys(prev).filter((name) => !Object.hasOwn(next, name) || next[name] === undefined);
  if (gone.length > 0) return { in: changed, gone };
  return anyChanged ? { in: changed } : SAME;
}

/**
 * The state after a patch that came out of JSON.
 *
 * A frozen state has been handed out: it stays as it is, what did not change is shared, and what is new is frozen.
 * Any other belongs to the fold alone, and is changed in place: folding a list of n elements costs n, not n².
 */
export const patchState = (prev: unknown, patch: StatePatch): unknown =>
  patched(prev, patch, prev !== undefined && Object.isFrozen(prev));

function patched(prev: unknown, patch: StatePatch, shared: boolean): unknown {
  if ("same" in patch) return prev;
  if ("set" in patch) return taken(patch.set, shared);
  if ("keep" in patch) return patchArray(prev as unknown[], patch, shared);
  const before = prev as Record<string, unknown>;
  const next: Record<string, unknown> = shared ? { ...before } : before;
  for (const name of patch.gone ?? []) Reflect.deleteProperty(next, name);
  for (const [name, inner] of Object.entries(patch.in))
    put(next, name, patched(Object.hasOwn(next, name) ? next[name] : undefined, inner, shared));
  return shared ? Object.freeze(next) : next;
}

function patchArray(prev: unknown[], patch: Extract<StatePatch, { keep: number }>, shared: boolean): unknown {
  const next = shared ? twinOf(prev) : prev;
  next.length = patch.keep;
  for (const [index, inner] of Object.entries(patch.at ?? {}))
    next[Number(index)] = patched(next[Number(index)], inner, shared);
  for (const value of patch.add ?? []) next.push(taken(value, shared));
  return shared ? frozenFrom(next) : next;
}

/**
 * Long frozen lists are read many times slower than others, so each has a twin that is not frozen, holds the same
 * elements and is never handed out. It moves on to the list that follows; a list that has lost it is only slower.
 */
const twins = new WeakMap<readonly unknown[], unknown[]>();
const TWIN_ELEMENTS_MIN = 64;

function twinOf(frozen: unknown[]): unknown[] {
  const twin = twins.get(frozen);
  twins.delete(frozen);
  // Not `slice`: of a frozen list it takes a slow way, at 5,000 elements forty times as long.
  return twin ?? [...frozen];
}

function frozenFrom(list: unknown[]): unknown[] {
  if (list.length < TWIN_ELEMENTS_MIN) return Object.freeze(list) as unknown[];
  const frozen = Object.freeze([...list]) as unknown[];
  twins.set(frozen, list);
  return frozen;
}

/** A value out of an event; what is changed in place later must not be the event's own. */
const taken = (value: unknown, shared: boolean): unknown => (shared ? freezeDeep(value) : copyDeep(value));

/** Even under a name like `__proto__`, to which assigning means something else. */
export function put(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  else target[name] = value;
}

/** Values that came out of JSON have no circles. */
export function freezeDeep(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freezeDeep(inner);
  return Object.freeze(value);
}

function copyDeep(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyDeep);
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) put(copy, name, copyDeep(inner));
  return copy;
}
