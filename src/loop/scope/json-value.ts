import { put } from "../../model/values/state-patch.ts";
import { Fault } from "../../model/fault.ts";
import { NESTED_MAX } from "../../model/values/nesting.ts";
import { isLossy, isPlain, symbolKeyOf } from "../../model/values/lossy-object.ts";
import type { StatePatch } from "../../model/values/state-patch.ts";

/**
 * A value as the journal will give it back, no matter what life asks for it: a copy of plain data.
 *
 * Converted as JSON does: everything that has `toJSON` (a Date becomes its text), members that are undefined (left
 * out), objects of classes (their own members), -0 (0). What would be lost in silence is refused with its place:
 * functions, symbols (also as keys), big integers, NaN and infinities, invalid dates, gaps and undefined in lists,
 * maps, sets, errors, bytes, circles.
 */
export function asJson<Value>(value: Value, what: string): Value {
  if (value === undefined) return value;
  return copied(value, { what, path: [] }) as Value;
}

/** The same for a patch; places are those in the state. */
export const asJsonPatch = (patch: StatePatch, what: string): StatePatch =>
  copiedPatch(patch, { what, path: [] });

interface Place {
  readonly what: string;
  readonly path: (string | number)[];
}

function copiedPatch(patch: StatePatch, place: Place): StatePatch {
  if ("same" in patch) return patch;
  if ("set" in patch) return { set: copied(patch.set, place) };
  if ("keep" in patch) {
    const { keep, at, add } = patch;
    return {
      keep,
      ...(at === undefined ? {} : { at: patches(at, place) }),
      ...(add === undefined ? {} : { add: copiedList(add, place, keep) }),
    };
  }
  return { ...patch, in: patches(patch.in, place) };
}

function patches(inner: Readonly<Record<string, StatePatch>>, place: Place): Record<string, StatePatch> {
  const copy: Record<string, StatePatch> = {};
  for (const [name, patch] of Object.entries(inner)) {
    place.path.push(name);
    put(copy, name, copiedPatch(patch, place));
    place.path.pop();
  }
  return copy;
}

function copied(value: unknown, place: Place): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "object") return copiedObject(value, place);
  if (typeof value === "number" && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (typeof value === "number") throw refused(place, String(value));
  throw refused(place, value === undefined ? "undefined" : `a ${typeof value}`);
}

function copiedObject(value: object, place: Place): unknown {
  if (place.path.length > NESTED_MAX) throw tooDeep(place);
  if (isLossy(value)) throw refused(place, aOf(classOf(value)));
  if (value instanceof Date && Number.isNaN(value.getTime())) throw refused(place, "an invalid Date");
  if (!("toJSON" in value) || typeof value.toJSON !== "function") return copiedMembers(value, place);
  // Once, as JSON does: what it answers is taken as it is.
  const json = (value as { toJSON(name: string): unknown }).toJSON(String(place.path.at(-1) ?? ""));
  return typeof json === "object" && json !== null ? copiedMembers(json, place) : copied(json, place);
}

function copiedMembers(value: object, place: Place): unknown {
  if (Array.isArray(value)) return copiedList(value, place, 0);
  const names = Object.keys(value);
  if (isLossy(value) || (names.length === 0 && !isPlain(value))) throw refused(place, aOf(classOf(value)));
  const symbol = symbolKeyOf(value);
  if (symbol !== undefined) throw refused(place, `an object with the key ${String(symbol)}`);
  const copy: Record<string, unknown> = {};
  for (const name of names) {
    const inner: unknown = Reflect.get(value, name);
    if (inner === undefined) continue;
    place.path.push(name);
    put(copy, name, copied(inner, place));
    place.path.pop();
  }
  return copy;
}

function copiedList(list: readonly unknown[], place: Place, from: number): unknown[] {
  const copy: unknown[] = [];
  // By index: iterating with a callback leaves gaps out.
  for (let index = 0; index < list.length; index += 1) {
    place.path.push(from + index);
    copy.push(copied(list[index], place));
    place.path.pop();
  }
  return copy;
}

const aOf = (name: string): string => `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
const classOf = (value: object): string => value.constructor.name || "value of a class";

const tooDeep = ({ what, path }: Place): Fault =>
  refused({ what, path: path.slice(0, 4) }, `circular, or nested more than ${String(NESTED_MAX)} deep`);

const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/with the key Symbol/, "use a text as its key"],
  [/^an invalid Date$/, "check the date first, or use null"],
  [/^a (Map|Set)$/, "make it an object or a list first: Object.fromEntries(map), [...set]"],
  [/^a bigint$/, "make it a text: String(value)"],
  [/^(NaN|-?Infinity)$/, "use null or a text"],
  [/^undefined$/, "use null"],
  [/Array$|Buffer$|DataView$/, 'make it a text: Buffer.from(bytes).toString("base64")'],
  [/Error$/, "return its message, or throw it"],
];
const ANY = "return plain data (objects, lists, texts, numbers, true, false, null)";

function refused({ what, path }: Place, found: string): Fault {
  const at = path
    .map((part) => (typeof part === "number" || /^\d+$/.test(part) ? `[${String(part)}]` : `.${part}`))
    .join("");
  const remedy = REMEDIES.find(([pattern]) => pattern.test(found))?.[1] ?? ANY;
  const place = at === "" ? `it is ${found}` : `${at.replace(/^\./, "")} is ${found}`;
  return new Fault("usage", `${what} cannot be recorded: ${place}, which JSON does not hold; ${remedy}`, {
    details: { at, found },
  });
}

/** Equal for equal inputs; short, so that a large input is not written twice. */
export function inputMark(input: unknown): string {
  const text = JSON.stringify(input) ?? "undefined";
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  return `${(high >>> 0).toString(16)}${(low >>> 0).toString(16)}-${String(text.length)}`;
}
