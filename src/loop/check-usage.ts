import { Fault } from "../model/fault.ts";

/** What a program gave, which may be in plain JavaScript, as words: a mistake is answered with what was seen. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 100));
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

export const misused = (call: string, seen: string, expected: string): Fault =>
  new Fault("usage", `${call} was given ${seen}; expected ${expected}`);

/** Names tell recorded things apart. */
export function checkNamed(call: string, name: unknown, example: string): void {
  if (typeof name === "string" && name !== "") return;
  throw misused(call, `${shown(name)} as its name`, `a text: ${example}`);
}

export function checkText(call: string, text: unknown): void {
  if (typeof text !== "string") throw misused(call, shown(text), "a text");
}

export function checkFunction(call: string, work: unknown, example: string): void {
  if (typeof work === "function") return;
  const isPromise = typeof work === "object" && work !== null && "then" in work;
  const seen = isPromise ? "a promise, whose work has begun already," : shown(work);
  throw misused(call, `${seen} as its work`, `a function: ${example}`);
}

/** Options that are not known are refused, never ignored: most often they are misspelt. */
export function checkKeys(call: string, options: unknown, known: readonly string[]): Record<string, unknown> {
  if (options === undefined) return {};
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw misused(call, `${shown(options)} as its options`, `an object with any of ${known.join(", ")}`);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw misused(call, `an option "${unknown}"`, `any of ${known.join(", ")}`);
  return options as Record<string, unknown>;
}

export function checkOneOf(call: string, option: string, value: unknown, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value as string)) return;
  const words = allowed.map((word) => JSON.stringify(word)).join(" or ");
  throw misused(call, `${option}: ${shown(value)}`, words);
}
