import { beyond } from "./beyond.ts";

/** What a schema answers to a value that does not fit. */
export const NOT = Symbol("does not fit");
type Outcome = unknown;
export type Look = (value: unknown) => Outcome;
export type Shape = Readonly<Record<string, Schema>>;
interface Made {
  readonly look: Look;
  readonly shape?: Shape;
  readonly isStrict?: boolean;
  readonly options?: readonly unknown[];
  /** May be absent from an object, and then is. */
  readonly isOptional?: boolean;
  readonly inner?: Schema;
}

/** A check that a value passes, as the library hands it the place for complaints. */
type Complaints = { readonly value: unknown; readonly issues: unknown[]; addIssue(issue: unknown): void };

/** A schema that makes of a value that fits what the library makes of it (see `accepting-schemas.ts`). */
export class Schema {
  readonly look: Look;
  readonly shape: Shape;
  readonly options: readonly unknown[];
  readonly isOptional: boolean;
  readonly #made: Made;

  constructor(made: Made) {
    this.#made = made;
    this.look = made.look;
    this.shape = made.shape ?? {};
    this.options = made.options ?? [];
    this.isOptional = made.isOptional ?? false;
  }

  parse(value: unknown): unknown {
    const found = this.look(value);
    return found === NOT ? beyond("a value that does not fit its schema") : found;
  }

  safeParse(value: unknown): { readonly success: true; readonly data: unknown } {
    return { success: true, data: this.parse(value) };
  }

  #and(holds: (value: unknown) => boolean): Schema {
    const { look } = this;
    return new Schema({
      ...this.#made,
      look(value) {
        const found = look(value);
        return found === NOT || !holds(found) ? NOT : found;
      },
    });
  }

  describe(): this {
    return this;
  }

  optional(): Schema {
    const { look } = this;
    const optional: Look = (value) => (value === undefined ? undefined : look(value));
    return new Schema({ ...this.#made, look: optional, isOptional: true, inner: this });
  }

  nullable(): Schema {
    const { look } = this;
    return new Schema({ ...this.#made, look: (value) => (value === null ? null : look(value)) });
  }

  default(given: unknown): Schema {
    const { look } = this;
    return new Schema({
      ...this.#made,
      look: (value) => (value === undefined ? madeFrom(given) : look(value)),
    });
  }

  prefault(given: unknown): Schema {
    const { look } = this;
    return new Schema({
      ...this.#made,
      look: (value) => look(value === undefined ? madeFrom(given) : value),
    });
  }

  unwrap(): Schema {
    return this.#made.inner ?? beyond("a schema that wraps none");
  }

  array(): Schema {
    return array(this);
  }

  min(least: number): Schema {
    return this.#and((value) => sizeOf(value) >= least);
  }

  max(most: number): Schema {
    return this.#and((value) => sizeOf(value) <= most);
  }

  length(exactly: number): Schema {
    return this.#and((value) => sizeOf(value) === exactly);
  }

  positive(): Schema {
    return this.#and((value) => Number(value) > 0);
  }

  nonnegative(): Schema {
    return this.#and((value) => Number(value) >= 0);
  }

  int(): Schema {
    return this.#and(Number.isSafeInteger);
  }

  regex(pattern: RegExp): Schema {
    return this.#and((value) => String(value).search(pattern) !== -1);
  }

  /** What comes after it looks at what is left. */
  trim(): Schema {
    const { look } = this;
    return new Schema({
      ...this.#made,
      look(value) {
        const found = look(value);
        return typeof found === "string" ? found.trim() : found;
      },
    });
  }

  url(): Schema {
    return this.#and(() => beyond("an address"));
  }

  refine(holds: (value: never) => unknown): Schema {
    return this.#and((value) => Boolean(holds(value as never)));
  }

  superRefine(look: (value: never, complaints: Complaints) => void): Schema {
    return this.#and((value) => {
      const issues: unknown[] = [];
      look(value as never, { value, issues, addIssue: (issue) => issues.push(issue) });
      return issues.length === 0;
    });
  }

  #shaped(shape: Shape): Schema {
    return objectOf(shape, this.#made.isStrict === true ? "refused" : "left out");
  }

  extend(more: Shape): Schema {
    return this.#shaped({ ...this.shape, ...more });
  }

  omit(names: Readonly<Record<string, true>>): Schema {
    return this.#shaped(
      Object.fromEntries(Object.entries(this.shape).filter(([name]) => !Object.hasOwn(names, name))),
    );
  }

  pick(names: Readonly<Record<string, true>>): Schema {
    return this.#shaped(
      Object.fromEntries(Object.entries(this.shape).filter(([name]) => Object.hasOwn(names, name))),
    );
  }
}

export const strange: Look = () => beyond("a kind of schema that is not here");

/** So are methods that are not here. */
Object.setPrototypeOf(
  Schema.prototype,
  new Proxy(Object.prototype, {
    get: (members, name) =>
      typeof name === "symbol" || name in members
        ? (Reflect.get(members, name) as unknown)
        : (): Schema => new Schema({ look: strange }),
  }),
);

const madeFrom = (given: unknown): unknown =>
  typeof given === "function" ? (given as () => unknown)() : structuredClone(given);

const sizeOf = (value: unknown): number =>
  typeof value === "number" ? value : (value as { readonly length: number }).length;

export type Fields = Record<string, unknown>;
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A key that would set the prototype of what is made is treated by the library in its own way. */
export const setsPrototype = (name: string): boolean => name === "__proto__";

export function array(element: Schema): Schema {
  return new Schema({
    look(value) {
      if (!Array.isArray(value)) return NOT;
      const found = Array.from(value, (one: unknown) => element.look(one));
      return found.includes(NOT) ? NOT : found;
    },
  });
}

type Rest = "left out" | "refused" | "kept";

/** Fields in the order of the shape, as the library puts them, and what is kept of others behind them. */
export function objectOf(shape: Shape, rest: Rest): Schema {
  // A field of the shape may refer to what is made later.
  let names: readonly string[] | undefined;
  const look: Look = (value) => {
    if (!isFields(value)) return NOT;
    names ??= Object.keys(shape);
    const made: Fields = {};
    for (const name of names) {
      const field = shape[name];
      const found = field?.look(value[name]);
      if (field === undefined || found === NOT) return NOT;
      if (found === undefined && !(name in value) && !field.isOptional) return NOT;
      if (found !== undefined || name in value) made[name] = found;
    }
    if (rest === "left out") return made;
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(shape, name)) continue;
      if (rest === "refused" || setsPrototype(name)) return NOT;
      made[name] = value[name];
    }
    return made;
  };
  return new Schema({ look, shape, isStrict: rest === "refused" });
}
