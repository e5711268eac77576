import type { Config } from "../../src/model/config.ts";
import { Life } from "./life.ts";
import { prove } from "./proof.ts";

const MILLION = 1_000_000;
const USED = { tokensIn: 2 * MILLION, cachedIn: MILLION, tokensOut: MILLION, model: "house-model-1" };

/** What two million tokens read, half of them from a cache, and a million written have cost. */
const cost = (config: Config): number => new Life(config).say({ kind: "usage", ...USED }).state.spent.usd;

const BASE = { prices: { "house-*": { input: 1, output: 10, cachedInput: 0.5 } } };

export const PRICE_PROOFS = [
  prove("prices.*.input", [1, 2], cost, [11.5, 12.5], BASE),
  prove("prices.*.output", [10, 20], cost, [11.5, 21.5], BASE),
  prove("prices.*.cachedInput", [0.5, undefined], cost, [11.5, 12], BASE),
];
