import type { Figure, Ratio } from "../harness/bench.ts";
import type { Rates, RoundPlan } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";

export const CONCURRENT_RUNS = 100;

export const appendPlan = (quick: boolean): RoundPlan =>
  quick
    ? { rounds: 3, turns: 2, perTurn: 20, budgetMs: 5_000 }
    : { rounds: 21, turns: 8, perTurn: 20, budgetMs: 50_000 };

export const roundsText = ({ whole }: Rates): string => `${String(whole.length)} rounds.`;

export interface AppendRates {
  readonly bare: Rates;
  readonly alone: Rates;
  readonly together: Rates;
}

const TOGETHER = `${String(CONCURRENT_RUNS)} concurrent runs`;

export const appendFigures = (bareName: string, { bare, alone, together }: AppendRates): Figure[] => [
  rateFigure(bareName, bare.whole),
  rateFigure("append alone, one run", alone.whole),
  rateFigure(`append, ${TOGETHER}`, together.whole),
  rateFigure(`${bareName}, best turn of a round`, bare.best),
  rateFigure("append alone, best turn of a round", alone.best),
];

export const rateFigure = (what: string, rates: readonly number[]): Figure => ({
  what,
  unit: "per second",
  spread: spreadOf(rates),
});

export const appendRatios = (
  bareName: string,
  { bare, alone, together }: AppendRates,
  targets: { readonly aloneAtLeast?: number; readonly togetherAtLeast: number },
): Ratio[] => [
  {
    what: `append alone / ${bareName}`,
    spread: ratioOf(alone.whole, bare.whole),
    ...(targets.aloneAtLeast === undefined ? {} : { target: { atLeast: targets.aloneAtLeast } }),
  },
  {
    what: `the same, best turn of a round: the less the disk is waited for, the more computing counts`,
    spread: ratioOf(alone.best, bare.best),
  },
  {
    what: `${TOGETHER} / append alone`,
    spread: ratioOf(together.whole, alone.whole),
    target: { atLeast: targets.togetherAtLeast },
  },
];
