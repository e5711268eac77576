/**
 * A value as it is read back from the journal: what has `toJSON` became what that gives (a Date its text), methods and
 * members under symbols are not there. What cannot be recorded (maps, sets, errors, bytes, functions, big integers) is
 * `never`, so that it is noticed before it is refused.
 */
export type Jsonify<Value> = unknown extends Value
  ? Value
  : Value extends string | number | boolean | null | undefined | void
    ? Value
    : Value extends Unrecordable
      ? never
      : Value extends { toJSON(...args: never[]): infer Json }
        ? Jsonify<Json>
        : Value extends readonly unknown[]
          ? { [Index in keyof Value]: Jsonify<Value[Index]> }
          : { [Name in keyof Value as Member<Name, Value[Name]>]: Jsonify<Value[Name]> };

type AnyFunction = (...args: never[]) => unknown;
type Unrecordable =
  | bigint
  | symbol
  | AnyFunction
  | Error
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | Promise<unknown>
  | RegExp
  | ArrayBufferLike
  | ArrayBufferView;

/** Which members are there again. */
type Member<Name, Value> = Name extends symbol ? never : [Value] extends [AnyFunction] ? never : Name;

/** A value that was frozen with all that is inside. */
export type DeepReadonly<Value> = unknown extends Value
  ? Value
  : Value extends AnyFunction
    ? Value
    : Value extends object
      ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
      : Value;
