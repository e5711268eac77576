import type { ProgramError } from "../../model/events/program-events.ts";
import { Fault, errorText } from "../../model/fault.ts";
import { asJson } from "./json-value.ts";

/** Any class of errors that a program may register. */
export type ErrorClass = abstract new (...args: never[]) => Error;

/**
 * The error of a step, a child or a run whose class is not registered, as it is caught by the process in which it
 * happened and by every later one. Its other members are in `data`, and can be read from the error itself too.
 */
export class StepError extends Error {
  readonly code: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(message: string, { name, code, data = {} }: Pick<ProgramError, "name" | "code" | "data">) {
    super(message);
    this.name = name;
    this.data = data;
    this.code = code;
    assignNew(this, data);
  }
}

const DEFAULT_CLASSES: readonly ErrorClass[] = [
  Fault,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  URIError,
  AggregateError,
];

/** The classes whose errors come back as objects of that class. */
export class ErrorClasses {
  readonly #byName = new Map<string, ErrorClass>();

  constructor(registered: readonly ErrorClass[] = []) {
    for (const one of [...DEFAULT_CLASSES, ...registered]) this.#byName.set(classNameOf(one), one);
  }

  nameOf(error: Error): string | undefined {
    const { name } = error.constructor;
    return this.#byName.get(name)?.prototype === Object.getPrototypeOf(error) ? name : undefined;
  }

  named(name: string | undefined): ErrorClass | undefined {
    return name === undefined ? undefined : this.#byName.get(name);
  }
}

function classNameOf(given: unknown): string {
  const isClass = typeof given === "function" && given.prototype instanceof Error && given.name !== "";
  if (isClass) return given.name;
  throw new Fault(
    "usage",
    `errors holds ${typeof given === "function" ? given.name || "a class without a name" : String(given)}; expected classes that extend Error, such as errors: [PaymentError]`,
  );
}

const CAUSES_MAX = 4;
const ERRORS_MAX = 20;
const DATA_CHARS_MAX = 16_384;
const APART: readonly string[] = ["name", "message", "stack", "cause", "errors"];

/** What is recorded of anything that was thrown. */
export function recordedError(error: unknown, classes: ErrorClasses = NONE, depth = 0): ProgramError {
  if (!(error instanceof Error)) return thrownValue(error);
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown };
  const code: unknown = "code" in error ? error.code : undefined;
  const data = dataOf(error, typeof code === "string" ? [...APART, "code"] : APART);
  const className = classes.nameOf(error);
  const inner = (one: unknown): ProgramError => recordedError(one, classes, depth + 1);
  const isDeep = depth >= CAUSES_MAX;
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === "string" ? { code } : {}),
    ...(className === undefined ? {} : { class: className }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...(cause === undefined || isDeep ? {} : { cause: inner(cause) }),
    ...(Array.isArray(errors) && !isDeep ? { errors: errors.slice(0, ERRORS_MAX).map(inner) } : {}),
  };
}

/** A text, an object: everything that is thrown in the place of an error. */
function thrownValue(thrown: unknown): ProgramError {
  const data = typeof thrown === "object" && thrown !== null ? dataOf(thrown, []) : {};
  const { name, message, code } = data;
  return {
    name: typeof name === "string" ? name : "Error",
    message: typeof message === "string" ? message : (textOf(data) ?? errorText(thrown)),
    ...(typeof code === "string" ? { code } : {}),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
}

const textOf = (data: object): string | undefined =>
  Object.keys(data).length === 0 ? undefined : JSON.stringify(data);

/** Its members, as far as they are data and not too much. */
function dataOf(error: object, leftOut: readonly string[]): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  let left = DATA_CHARS_MAX;
  for (const name of Object.keys(error)) {
    if (leftOut.includes(name)) continue;
    const value = dataIn(error, name);
    const chars = value === undefined ? 0 : JSON.stringify(value).length;
    if (value === undefined || chars > left) continue;
    left -= chars;
    data[name] = value;
  }
  return data;
}

/** Undefined for what is no data: an error says what it can. */
function dataIn(error: object, name: string): unknown {
  try {
    return asJson<unknown>(Reflect.get(error, name), name);
  } catch {
    return undefined;
  }
}

/** The error as every life of the workflow function catches it. */
export function restoredError(recorded: ProgramError, classes: ErrorClasses = NONE, stack?: string): Error {
  const known = classes.named(recorded.class);
  const error = known === undefined ? new StepError(recorded.message, recorded) : ofClass(known, recorded);
  const { cause, errors } = recorded;
  if (cause !== undefined) define(error, "cause", restoredError(cause, classes));
  if (errors !== undefined)
    define(
      error,
      "errors",
      errors.map((one) => restoredError(one, classes)),
    );
  if (stack !== undefined) define(error, "stack", stack);
  return error;
}

/** Its constructor is not called: what it asks for is not known. */
function ofClass(known: ErrorClass, { message, name, code, data = {} }: ProgramError): Error {
  const error = Object.setPrototypeOf(new Error(message), known.prototype as object) as Error;
  if (error.name !== name) define(error, "name", name);
  assignNew(error, code === undefined ? data : { ...data, code });
  return error;
}

const define = (target: object, name: string, value: unknown): unknown =>
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });

/** Members that the error does not have yet; a class may have them as accessors only. */
function assignNew(target: Error, members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members))
    if (!Object.hasOwn(target, name))
      Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
}

const NONE = new ErrorClasses();
