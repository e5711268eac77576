import {
  array,
  type Fields,
  isFields,
  NOT,
  objectOf,
  Schema,
  setsPrototype,
  strange,
  type Shape,
} from "./accepting-schema.ts";
import { beyond } from "./beyond.ts";

/**
 * The part of the schema library that a command needs which only looks, in the bundle of such commands in the place of
 * the library: making the library's schemas takes longer than everything else that such a command does.
 *
 * A value that fits has the same outcome here and there. What does not fit, and every kind of schema that is not here,
 * is beyond this program, and the whole one takes the command from its beginning.
 */

const kind = (fits: (value: unknown) => boolean): Schema =>
  new Schema({ look: (value) => (fits(value) ? value : NOT) });

const string = (): Schema => kind((value) => typeof value === "string");
const number = (): Schema => kind(Number.isFinite);
const int = (): Schema => kind(Number.isSafeInteger);
const boolean = (): Schema => kind((value) => typeof value === "boolean");
const unknown = (): Schema => new Schema({ look: (value) => value, isOptional: true });
const never = (): Schema => kind(() => false);

function literal(of: unknown): Schema {
  const values: readonly unknown[] = Array.isArray(of) ? of : [of];
  return kind((value) => values.includes(value));
}

function enumOf(of: readonly string[] | Readonly<Record<string, string>>): Schema {
  const options: readonly unknown[] = Array.isArray(of) ? of : Object.values(of);
  return new Schema({ options, look: (value) => (options.includes(value) ? value : NOT) });
}

const object = (shape: Shape): Schema => objectOf(shape, "left out");
const strictObject = (shape: Shape): Schema => objectOf(shape, "refused");
const looseObject = (shape: Shape): Schema => objectOf(shape, "kept");

function recordOf(keys: Schema, values: Schema, isWhole: boolean): Schema {
  return new Schema({
    look(value) {
      if (!isFields(value)) return NOT;
      const made: Fields = {};
      for (const name of Object.keys(value)) {
        const found = keys.look(name) === NOT || setsPrototype(name) ? NOT : values.look(value[name]);
        if (found === NOT) return NOT;
        made[name] = found;
      }
      return isWhole && keys.options.some((name) => !Object.hasOwn(made, String(name))) ? NOT : made;
    },
  });
}
const record = (keys: Schema, values: Schema): Schema => recordOf(keys, values, true);
const partialRecord = (keys: Schema, values: Schema): Schema => recordOf(keys, values, false);

function union(of: readonly Schema[]): Schema {
  return new Schema({
    options: of,
    look(value) {
      for (const one of of) {
        const found = one.look(value);
        if (found !== NOT) return found;
      }
      return NOT;
    },
  });
}
/** At most one of them fits: they differ in the field that distinguishes them. */
const discriminatedUnion = (_field: string, of: readonly Schema[]): Schema => union(of);

function lazy(make: () => Schema): Schema {
  let made: Schema | undefined;
  return new Schema({ look: (value) => (made ??= make()).look(value) });
}

/** An address is read by rules of its own. */
const url = (): Schema => new Schema({ look: () => beyond("an address") });

/** What was read from JSON is JSON. */
const json = (): Schema =>
  kind((value) => value === null || ["string", "number", "boolean", "object"].includes(typeof value));

const toJSONSchema = (): never => beyond("a schema for people");
const fromJSONSchema = (): never => beyond("a schema of somebody else's");
const globalRegistry = { add: (): void => undefined };

const kinds: Readonly<Record<string, unknown>> = {
  array,
  enum: enumOf,
  string,
  number,
  int,
  boolean,
  unknown,
  never,
  literal,
  object,
  strictObject,
  looseObject,
  record,
  partialRecord,
  union,
  discriminatedUnion,
  lazy,
  url,
  json,
  toJSONSchema,
  fromJSONSchema,
  globalRegistry,
};

/** A kind that is not here is beyond this program where a value of it is met, and not before. */
export const z = new Proxy(kinds, {
  get: (_kinds, name) => kinds[String(name)] ?? ((): Schema => new Schema({ look: strange })),
});
