import { Fault } from "../fault.ts";

/** Deeper than anything that is meant: most often a value that holds itself. */
export const NESTED_MAX = 1_000;

/** Whether lists and objects lie inside each other deeper than that. By a list of its own, which no value overflows. */
export function isNestedTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > NESTED_MAX) return true;
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null ? (Object.values(one) as unknown[]) : [],
    );
  }
  return false;
}

/** Before anything looks into a value of others: what does so by itself would overflow. */
export function refuseDeep(value: unknown, what: string): void {
  if (isNestedTooDeep(value))
    throw new Fault(
      "usage",
      `${what} is nested more than ${String(NESTED_MAX)} deep; send data that is less deep, or a text`,
    );
}
