import type { Config } from "../../../src/model/settings/config.ts";
import { Life } from "../life.ts";
import { prove } from "../proof.ts";

const MILLION = 1_000_000;
const USED = { tokensIn: 2 * MILLION, cachedIn: MILLION, tokensOut: MILLION, model: "house-model-1" };

/** What two million tokens read, half of them from a cache, and a million written have cost. */
const cost = (config: Config): number => new Life(config).say({ kind: "usage", ...USED }).state.spent.usd;

const BASE = { prices: { "house-*": { input: 1, output: 10, cachedInput: 0.5 } } };

const LONG_RATES = { input: 2, output: 20, cachedInput: 3 };
const withLong = (above: number) => ({
  prices: { "house-*": { ...BASE.prices["house-*"], long: { above, ...LONG_RATES } } },
});
const LONG = withLong(3 * MILLION);
const LONG_AT_ONCE = withLong(MILLION);

export const PRICE_PROOFS = [
  prove("prices.*.input", [1, 2], cost, [11.5, 12.5], BASE),
  prove("prices.*.output", [10, 20], cost, [11.5, 21.5], BASE),
  prove("prices.*.cachedInput", [0.5, undefined], cost, [11.5, 12], BASE),
  prove("prices.*.long.above", [3 * MILLION, MILLION], cost, [11.5, 25], LONG),
  prove("prices.*.long.input", [2, 3], cost, [25, 26], LONG_AT_ONCE),
  prove("prices.*.long.output", [20, 30], cost, [25, 35], LONG_AT_ONCE),
  prove("prices.*.long.cachedInput", [3, undefined], cost, [25, 24], LONG_AT_ONCE),
];
