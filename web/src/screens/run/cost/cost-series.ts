import type { AnswerOf } from "../../../../../src/api/client/client.ts";

type Series = AnswerOf<"getSeries">;

export interface CostSeries {
  /** Seconds, as uPlot counts. */
  readonly at: readonly number[];
  readonly usd: readonly number[];
  readonly tokensIn: readonly number[];
  readonly tokensOut: readonly number[];
}

export interface ContextSeries {
  readonly at: readonly number[];
  readonly byAttempt: readonly { readonly attempt: string; readonly usedPct: readonly (number | null)[] }[];
}

/** Sums that grow, so that their last value is what was spent in all: what was spent before the parts stands below them. */
export function costSeries(
  parts: readonly Series[],
  spent: { readonly usd: number; readonly tokens: number },
): CostSeries {
  const points = parts.flatMap(({ usage }) => usage);
  const sums = { usd: 0, in: 0, out: 0 };
  for (const { usd, tokensIn, tokensOut } of points) {
    sums.usd += usd;
    sums.in += tokensIn;
    sums.out += tokensOut;
  }
  let usd = Math.max(0, spent.usd - sums.usd);
  let [tokensIn, tokensOut] = [0, 0];
  const series = points.map((point) => {
    usd += point.usd;
    tokensIn += point.tokensIn;
    tokensOut += point.tokensOut;
    return { at: Date.parse(point.at) / 1_000, usd, tokensIn, tokensOut };
  });
  return {
    at: series.map(({ at }) => at),
    usd: series.map((point) => point.usd),
    tokensIn: series.map((point) => point.tokensIn),
    tokensOut: series.map((point) => point.tokensOut),
  };
}

const ATTEMPTS_MAX = 6;

/** One line for each of the last attempts. */
export function contextSeries(parts: readonly Series[]): ContextSeries {
  const points = parts.flatMap(({ context }) => context);
  const attempts = [...new Set(points.map(({ attempt }) => attempt))].slice(-ATTEMPTS_MAX);
  return {
    at: points.map(({ at }) => Date.parse(at) / 1_000),
    byAttempt: attempts.map((attempt) => ({
      attempt,
      usedPct: points.map((point) => (point.attempt === attempt ? point.usedPct : null)),
    })),
  };
}
