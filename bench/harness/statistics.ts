/** The middle of repeated measurements, and how far they wandered. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error("a spread needs at least one measurement");
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN;
  return { median: (lower + upper) / 2, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

/**
 * The ratio round by round, and only then its median: what was measured in the same instant met the same neighbours,
 * while medians taken first would compare instants with each other.
 */
export function ratioOf(values: readonly number[], to: readonly number[]): Spread {
  if (values.length !== to.length) throw new Error("a ratio compares as many rounds as it compares with");
  return spreadOf(values.map((value, round) => value / (to[round] ?? NaN)));
}
