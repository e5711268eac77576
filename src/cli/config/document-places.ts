import {
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE_DOUBLE_QUOTED,
  SCALAR_STYLE_SINGLE_QUOTED,
  type Event,
  type ScalarStyle,
} from "js-yaml";

/** Where things stand in a file that a person wrote. */
export interface DocumentPlaces {
  /** `line 3, column 5` of what stands at a path: its key, or else its value; undefined where nothing does. */
  at(path: readonly PropertyKey[], part: "key" | "value"): string | undefined;
  /** A key that a mapping has twice, and where it comes for the second time. */
  readonly doubled: { readonly path: readonly PropertyKey[]; readonly place: string } | null;
}

export const NO_PLACES: DocumentPlaces = { at: () => undefined, doubled: null };

interface Frame {
  readonly path: readonly PropertyKey[] | null;
  readonly isMap: boolean;
  readonly keys: Set<string>;
  /** The key whose value comes next, or how many elements came. */
  next: PropertyKey | null;
}

/** Reads places from the text alone; a text that is neither YAML nor JSON has none. */
export function documentPlaces(text: string): DocumentPlaces {
  let events: Event[];
  try {
    events = parseEvents(text, {});
  } catch {
    return NO_PLACES;
  }
  const walk = new PlaceWalk(text);
  for (const event of events) walk.observe(event);
  const found = walk.found;
  return {
    at: (path, part) => {
      const place = found.get(keyOf(path));
      const offset = part === "key" ? (place?.key ?? place?.value) : place?.value;
      return offset === undefined ? undefined : placeText(text, offset);
    },
    doubled:
      walk.doubled === null ? null : { path: walk.doubled.path, place: placeText(text, walk.doubled.offset) },
  };
}

class PlaceWalk {
  readonly found = new Map<string, { readonly key?: number; readonly value: number }>();
  doubled: { readonly path: readonly PropertyKey[]; readonly offset: number } | null = null;
  readonly #text: string;
  readonly #frames: Frame[] = [];
  #keyOffset: number | undefined;
  #lastOffset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  observe(event: Event): void {
    if (event.type === EVENT_ID.DOCUMENT)
      this.#open({ path: null, isMap: false, keys: new Set(), next: null });
    else if (event.type === EVENT_ID.POP) this.#frames.pop();
    else this.#node(event);
  }

  #open(frame: Frame): void {
    this.#frames.push(frame);
  }

  #node(event: Exclude<Event, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>): void {
    const parent = this.#frames.at(-1);
    if (parent === undefined) return;
    if (parent.isMap && parent.next === null) {
      this.#key(parent, event);
      return;
    }
    const path = this.#pathIn(parent);
    // A value that is left out stands nowhere: it is where its key is, or what came before it.
    const offset = Math.max(offsetOf(event), this.#lastOffset);
    this.#lastOffset = offset;
    if (path !== null)
      this.found.set(keyOf(path), {
        ...(parent.isMap && this.#keyOffset !== undefined ? { key: this.#keyOffset } : {}),
        value: offset,
      });
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE)
      this.#open({
        path,
        isMap: event.type === EVENT_ID.MAPPING,
        keys: new Set(),
        next: event.type === EVENT_ID.MAPPING ? null : 0,
      });
  }

  /** Takes the place that comes next in its parent; null inside what has no path, such as a key that is a list. */
  #pathIn(parent: Frame): readonly PropertyKey[] | null {
    const { next } = parent;
    if (parent.isMap) parent.next = null;
    else if (typeof next === "number") parent.next = next + 1;
    else return [];
    return parent.path === null || next === null ? null : [...parent.path, next];
  }

  #key(parent: Frame, event: Event): void {
    if (event.type !== EVENT_ID.SCALAR) {
      parent.next = Symbol("no text");
      if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE)
        this.#open({ path: null, isMap: event.type === EVENT_ID.MAPPING, keys: new Set(), next: 0 });
      return;
    }
    const name = getScalarValue(this.#text, event);
    this.#keyOffset = this.#lastOffset = Math.max(offsetOf(event), 0);
    parent.next = name;
    if (parent.keys.has(name) && parent.path !== null && name !== "<<")
      this.doubled ??= { path: [...parent.path, name], offset: this.#keyOffset };
    parent.keys.add(name);
  }
}

const QUOTED: readonly ScalarStyle[] = [SCALAR_STYLE_DOUBLE_QUOTED, SCALAR_STYLE_SINGLE_QUOTED];

const keyOf = (path: readonly PropertyKey[]): string => JSON.stringify(path.map(String));

function offsetOf(event: Exclude<Event, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart - (QUOTED.includes(event.style) ? 1 : 0);
  return event.type === EVENT_ID.ALIAS ? event.anchorStart : event.start;
}

export function placeText(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return `line ${String(line)}, column ${String(offset - before.lastIndexOf("\n"))}`;
}
