import {
  array,
  type Fields,
  isFields,
  NOT,
  objectOf,
  Schema,
  setsPrototype,
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

export { array };

const kind = (fits: (value: unknown) => boolean): Schema =>
  new Schema({ look: (value) => (fits(value) ? value : NOT) });

export const string = (): Schema => kind((value) => typeof value === "string");
export const number = (): Schema => kind(Number.isFinite);
export const int = (): Schema => kind(Number.isSafeInteger);
export const boolean = (): Schema => kind((value) => typeof value === "boolean");
export const unknown = (): Schema => new Schema({ look: (value) => value, isOptional: true });
export const never = (): Schema => kind(() => false);

export function literal(of: unknown): Schema {
  const values: readonly unknown[] = Array.isArray(of) ? of : [of];
  return kind((value) => values.includes(value));
}

function enumOf(of: readonly string[] | Readonly<Record<string, string>>): Schema {
  const options: readonly unknown[] = Array.isArray(of) ? of : Object.values(of);
  return new Schema({ options, look: (value) => (options.includes(value) ? value : NOT) });
}
export { enumOf as enum };

export const object = (shape: Shape): Schema => objectOf(shape, "left out");
export const strictObject = (shape: Shape): Schema => objectOf(shape, "refused");
export const looseObject = (shape: Shape): Schema => objectOf(shape, "kept");

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
export const record = (keys: Schema, values: Schema): Schema => recordOf(keys, values, true);
export const partialRecord = (keys: Schema, values: Schema): Schema => recordOf(keys, values, false);

export function union(of: readonly Schema[]): Schema {
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
/** At most one of them fits: they differ in the field that tells them apart. */
export const discriminatedUnion = (_field: string, of: readonly Schema[]): Schema => union(of);

export function lazy(make: () => Schema): Schema {
  let made: Schema | undefined;
  return new Schema({ look: (value) => (made ??= make()).look(value) });
}

/** An address is read by rules of its own. */
export const url = (): Schema => new Schema({ look: () => beyond("an address") });

/** What was read from JSON is JSON. */
export const json = (): Schema =>
  kind((value) => value === null || ["string", "number", "boolean", "object"].includes(typeof value));

export const toJSONSchema = (): never => beyond("a schema for people");
export const fromJSONSchema = (): never => beyond("a schema of somebody else's");
export const globalRegistry = { add: (): void => undefined };
