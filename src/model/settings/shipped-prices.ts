import { matchesModel, type Price, type Prices } from "./prices.ts";

/** When the figures below were looked up. Vendors change theirs: `prices` in the configuration has the last word. */
export const PRICES_WRITTEN = "2026-11-17";

const price = (input: number, output: number, cachedInput: number): Price => ({ input, output, cachedInput });

/** GPT and Gemini: twice the price of reading and one and a half times that of writing, for all of a long request. */
const longer = (above: number, [input, output, cachedInput]: [number, number, number]): Price => ({
  ...price(input, output, cachedInput),
  long: { above, ...price(2 * input, 1.5 * output, 2 * cachedInput) },
});
const longGpt = (...rates: [number, number, number]): Price => longer(272_000, rates);
const longGemini = (...rates: [number, number, number]): Price => longer(200_000, rates);

/**
 * List prices of the vendors' own interfaces: USD per million tokens read, written, and read from a cache. A price
 * that is lower for some months only is not in it, and a family that is newer than the table is not guessed: it has no
 * price.
 */
export const SHIPPED_PRICES: Prices = {
  "*claude-fable-5*": price(10, 50, 1),
  "*claude-fable-5-1*": price(10, 50, 0.25),
  "*claude-mythos-5*": price(10, 50, 1),
  "*claude-mythos-5-1*": price(10, 50, 0.25),
  "*claude-opus-5*": price(5, 25, 0.5),
  "*claude-opus-5-5*": price(4, 20, 0.2),
  "*claude-opus-4*": price(5, 25, 0.5),
  "*claude-opus-4-20*": price(15, 75, 1.5),
  "*claude-opus-4-0*": price(15, 75, 1.5),
  "*claude-opus-4-1*": price(15, 75, 1.5),
  "*claude-3-opus*": price(15, 75, 1.5),
  "*claude-sonnet-5*": price(2, 10, 0.2),
  "*claude-sonnet-5-5*": price(2, 10, 0.1),
  "*claude-sonnet-4*": price(3, 15, 0.3),
  "*claude-3-7-sonnet*": price(3, 15, 0.3),
  "*claude-3-5-sonnet*": price(3, 15, 0.3),
  "*claude-haiku-5-5*": { ...price(0.1, 0.5, 0.01), long: { above: 100_000, ...price(0.5, 2.5, 0.05) } },
  "*claude-haiku-4*": price(1, 5, 0.1),
  "*claude-3-5-haiku*": price(0.8, 4, 0.08),
  // A short name may stand for any version: the dearest that is still offered.
  opus: price(5, 25, 0.5),
  sonnet: price(3, 15, 0.3),
  haiku: price(1, 5, 0.1),
  "gpt-6-sol*": longGpt(2, 10, 0.2),
  "gpt-6-luna*": longGpt(0.1, 0.5, 0.01),
  "gpt-6.1-sol*": longGpt(2, 10, 0.1),
  "gpt-6.1-terra*": longGpt(1, 5, 0.05),
  "gpt-5.6*": longGpt(5, 30, 0.5),
  "gpt-5.6-terra*": longGpt(2, 12, 0.2),
  "gpt-5.6-luna*": longGpt(0.2, 1.2, 0.02),
  "gpt-5.5*": longGpt(5, 30, 0.5),
  "gpt-5.5-pro*": longGpt(30, 180, 30),
  "gpt-5.4*": longGpt(2.5, 15, 0.25),
  "gpt-5.4-mini*": price(0.75, 4.5, 0.075),
  "gpt-5.4-nano*": price(0.2, 1.25, 0.02),
  "gpt-5.4-pro*": longGpt(30, 180, 30),
  "gpt-5.3*": price(1.75, 14, 0.175),
  "gpt-5.2*": price(1.75, 14, 0.175),
  "gpt-5.2-pro*": price(21, 168, 21),
  "gpt-5.1*": price(1.25, 10, 0.125),
  "gpt-5": price(1.25, 10, 0.125),
  "gpt-5-*": price(1.25, 10, 0.125),
  "gpt-5-pro*": price(15, 120, 15),
  "gpt-5*-codex-mini*": price(0.25, 2, 0.025),
  "gpt-5-mini*": price(0.25, 2, 0.025),
  "gpt-5-nano*": price(0.05, 0.4, 0.005),
  "gpt-4.1*": price(2, 8, 0.5),
  "gpt-4.1-mini*": price(0.4, 1.6, 0.1),
  "gpt-4o*": price(2.5, 10, 1.25),
  "gpt-4o-mini*": price(0.15, 0.6, 0.075),
  "o3*": price(2, 8, 0.5),
  "o4-mini*": price(1.1, 4.4, 0.275),
  "codex-mini*": price(1.5, 6, 0.375),
  "gemini-2.5-pro*": longGemini(1.25, 10, 0.125),
  "gemini-2.5-flash*": price(0.3, 2.5, 0.03),
  "gemini-2.5-flash-lite*": price(0.1, 0.4, 0.01),
  "gemini-3-pro*": longGemini(2, 12, 0.2),
  "gemini-3.1-pro*": longGemini(2, 12, 0.2),
  "gemini-3-flash*": price(0.5, 3, 0.05),
  "gemini-3.5-flash*": price(1.5, 9, 0.15),
  "gemini-3.5-flash-lite*": price(0.3, 2.5, 0.03),
  "gemini-3.6-flash*": price(1.5, 7.5, 0.15),
  "gemini-3.7-flash*": price(1.5, 7.5, 0.15),
  "gemini-3.8-flash*": price(1.5, 7.5, 0.15),
};

/** The table a run is priced by: the person's own rows, and the shipped rows that none of them covers. */
export function withShippedPrices(own: Prices): Prices {
  const covered = (pattern: string): boolean => Object.keys(own).some((mine) => matchesModel(mine, pattern));
  const shipped = Object.entries(SHIPPED_PRICES).filter(([pattern]) => !covered(pattern));
  return { ...own, ...Object.fromEntries(shipped) };
}
