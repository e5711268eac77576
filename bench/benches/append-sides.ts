import type { Figure, Ratio } from "../harness/bench.ts";
import type { RoundPlan } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";

export const CONCURRENT_RUNS = 100;

export const appendPlan = (quick: boolean): RoundPlan =>
  quick
    ? { rounds: 3, turns: 2, perTurn: 20, budgetMs: 5_000 }
    : { rounds: 21, turns: 8, perTurn: 20, budgetMs: 50_000 };

export const roundsText = (rates: readonly number[]): string => `${String(rates.length)} rounds.`;

export interface AppendRates {
  readonly bare: readonly number[];
  readonly alone: readonly number[];
  readonly together: readonly number[];
}

export const appendFigures = (bareName: string, { bare, alone, together }: AppendRates): Figure[] => [
  { what: bareName, unit: "per second", spread: spreadOf(bare) },
  { what: "append alone, one run", unit: "per second", spread: spreadOf(alone) },
  {
    what: `append, ${String(CONCURRENT_RUNS)} concurrent runs`,
    unit: "per second",
    spread: spreadOf(together),
  },
];

export const appendRatios = (
  bareName: string,
  rates: AppendRates,
  targets: { readonly aloneAtLeast?: number; readonly togetherAtLeast: number },
): Ratio[] => [
  {
    what: `append alone / ${bareName}`,
    spread: ratioOf(rates.alone, rates.bare),
    ...(targets.aloneAtLeast === undefined ? {} : { target: { atLeast: targets.aloneAtLeast } }),
  },
  {
    what: `${String(CONCURRENT_RUNS)} concurrent runs / append alone`,
    spread: ratioOf(rates.together, rates.alone),
    target: { atLeast: targets.togetherAtLeast },
  },
];
