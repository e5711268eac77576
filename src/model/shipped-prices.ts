import { matchesModel, type Price, type Prices } from "./prices.ts";

/** When the figures below were written down. Vendors change theirs: `prices` in the configuration has the last word. */
export const PRICES_WRITTEN = "2026-11-17";

const price = (input: number, output: number, cachedInput: number): Price => ({ input, output, cachedInput });

/** List prices of the vendors' own interfaces, by family: USD per million tokens read, written, and read from a cache. */
export const SHIPPED_PRICES: Prices = {
  "*claude-opus-4*": price(5, 25, 0.5),
  "*claude-opus-4-20*": price(15, 75, 1.5),
  "*claude-opus-4-0*": price(15, 75, 1.5),
  "*claude-opus-4-1*": price(15, 75, 1.5),
  "*claude-3-opus*": price(15, 75, 1.5),
  "*claude-sonnet-*": price(3, 15, 0.3),
  "*claude-3-7-sonnet*": price(3, 15, 0.3),
  "*claude-3-5-sonnet*": price(3, 15, 0.3),
  "*claude-haiku-*": price(1, 5, 0.1),
  "*claude-3-5-haiku*": price(0.8, 4, 0.08),
  opus: price(5, 25, 0.5),
  sonnet: price(3, 15, 0.3),
  haiku: price(1, 5, 0.1),
  "gpt-5*": price(1.25, 10, 0.125),
  "gpt-5.2*": price(1.75, 14, 0.175),
  "gpt-5*-pro*": price(21, 168, 21),
  "gpt-5*-mini*": price(0.25, 2, 0.025),
  "gpt-5*-nano*": price(0.05, 0.4, 0.005),
  "gpt-4.1*": price(2, 8, 0.5),
  "gpt-4.1-mini*": price(0.4, 1.6, 0.1),
  "gpt-4o*": price(2.5, 10, 1.25),
  "gpt-4o-mini*": price(0.15, 0.6, 0.075),
  "o3*": price(2, 8, 0.5),
  "o4-mini*": price(1.1, 4.4, 0.275),
  "codex-mini*": price(1.5, 6, 0.375),
  "gemini-2.5-pro*": price(1.25, 10, 0.125),
  "gemini-2.5-flash*": price(0.3, 2.5, 0.03),
  "gemini-2.5-flash-lite*": price(0.1, 0.4, 0.01),
  "gemini-3*-pro*": price(2, 12, 0.2),
  "gemini-3*-flash*": price(0.5, 3, 0.05),
};

/** The table a run is priced by: the person's own rows, and the shipped rows that none of them covers. */
export function withShippedPrices(own: Prices): Prices {
  const covered = (pattern: string): boolean => Object.keys(own).some((mine) => matchesModel(mine, pattern));
  const shipped = Object.entries(SHIPPED_PRICES).filter(([pattern]) => !covered(pattern));
  return { ...own, ...Object.fromEntries(shipped) };
}
