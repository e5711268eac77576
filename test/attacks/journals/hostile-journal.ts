import type { Recorded } from "../../../src/model/events/events.ts";

/** Code, commands, paths, prototypes and sizes, in the places where a journal holds values. */
export const hostileValues = (canary: string): readonly unknown[] => [
  `globalThis.holdfastCanary = 1`,
  `(() => { require("node:fs").writeFileSync(${JSON.stringify(canary)}, "") })()`,
  `$(touch ${canary})`,
  `\`touch ${canary}\``,
  `--upload-pack=touch ${canary}`,
  `data:text/javascript,globalThis.holdfastCanary=1`,
  "../../../../etc/passwd",
  "__proto__",
  "constructor",
  "toString",
  "\u0000",
  "\u001b]0;x\u0007",
  "x".repeat(100_000),
  "",
  JSON.parse('{"__proto__":{"polluted":1}}'),
  { constructor: { prototype: { polluted: 1 } } },
  { then: "globalThis.holdfastCanary = 1", toJSON: "x", valueOf: null },
  { _js: "function () { globalThis.holdfastCanary = 1 }", $$typeof: "Function" },
  JSON.parse("[".repeat(2_000) + "]".repeat(2_000)),
  [],
  {},
  null,
  true,
  -1,
  0,
  1e308,
  Number.MAX_SAFE_INTEGER,
];

type Chance = () => number;

const oneOf = <Item>(items: readonly Item[], chance: Chance): Item =>
  items[Math.floor(chance() * items.length)] as Item;

const isHolder = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Every object and list inside a value, itself among them. */
function holdersIn(value: unknown): Record<string, unknown>[] {
  if (!isHolder(value)) return [];
  return [value, ...Object.values(value).flatMap(holdersIn)];
}

/** Names by which a journal speaks of its own parts; another in the place of one, everywhere. */
function namesIn(journal: readonly Recorded[]): string[] {
  const names = new Set<string>();
  for (const { data } of journal)
    for (const holder of holdersIn(data))
      for (const key of ["step", "name", "key", "attempt", "agent", "gate", "id"])
        if (typeof holder[key] === "string") names.add(holder[key]);
  return [...names];
}

/** What a journal becomes: stored texts, as a store or an export gives them. */
export interface StoredText {
  readonly type: string;
  readonly text: string;
}

const storedOf = (journal: readonly Recorded[]): StoredText[] =>
  journal.map(({ type, data }) => ({ type, text: JSON.stringify(data) }));

const changes: readonly ((
  journal: Recorded[],
  values: readonly unknown[],
  chance: Chance,
) => StoredText[])[] = [
  // One value in one event.
  (journal, values, chance) => {
    const holder = oneOf(holdersIn(oneOf(journal, chance).data), chance);
    const key = oneOf([...Object.keys(holder), "__proto__"], chance);
    Object.defineProperty(holder, key, {
      value: oneOf(values, chance),
      enumerable: true,
      configurable: true,
    });
    return storedOf(journal);
  },
  // A name of the journal is another one, wherever it stands.
  (journal, _values, chance) => {
    const name = JSON.stringify(oneOf(namesIn(journal), chance));
    const other = JSON.stringify(
      oneOf(["__proto__", "constructor", "toString", "hasOwnProperty", ""], chance),
    );
    return storedOf(journal).map(({ type, text }) => ({ type, text: text.replaceAll(name, other) }));
  },
  // A type that no version knew, among them those that every object has.
  (journal, _values, chance) => {
    const stored = storedOf(journal);
    const at = Math.floor(chance() * stored.length);
    const type = oneOf(["__proto__", "constructor", "toString", "eval", "RunCreated", ""], chance);
    return stored.map((one, index) => (index === at ? { ...one, type } : one));
  },
  // Events left out, doubled or exchanged: each is what it was, their order makes no sense.
  (journal, _values, chance) => {
    const stored = storedOf(journal);
    const [at, to] = [Math.floor(chance() * stored.length), Math.floor(chance() * stored.length)];
    const moved = stored.splice(at, 1 + Math.floor(chance() * 3));
    stored.splice(to, 0, ...moved, ...(chance() < 0.5 ? moved : []));
    return stored;
  },
  // Text that is cut, or no JSON.
  (journal, _values, chance) => {
    const stored = storedOf(journal);
    const at = Math.floor(chance() * stored.length);
    const end = Math.floor(chance() * 40);
    return stored.map((one, index) => (index === at ? { ...one, text: one.text.slice(0, end) } : one));
  },
];

/** A journal as somebody who can write one would have it. */
export const hostileJournal = (journal: readonly Recorded[], canary: string, chance: Chance): StoredText[] =>
  oneOf(changes, chance)(structuredClone([...journal]), hostileValues(canary), chance);
