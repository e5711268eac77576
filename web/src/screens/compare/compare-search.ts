export const WAYS = ["diff", "replay", "open"] as const;
export type Way = (typeof WAYS)[number];

/** What the address of the comparison says. */
export interface CompareSearch {
  readonly way?: Way;
  readonly a?: string;
  readonly b?: string;
  /** The event that a replay stands at. */
  readonly at?: string;
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;

export function readCompareSearch({ way, a, b, at }: Record<string, unknown>): CompareSearch {
  const given = { way: WAYS.find((one) => one === way), a: text(a), b: text(b), at: text(at) };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
