interface Used {
  readonly at: string;
  readonly usd: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export const SPARK_BARS = 10;

/** The window of the points in equal parts of time: what each used, as a share of the most. Nothing for a single moment. */
export function sparkOf(points: readonly Used[]): readonly number[] {
  const hasTokens = points.some(({ tokensIn, tokensOut }) => tokensIn + tokensOut > 0);
  const from = Date.parse(points[0]?.at ?? "");
  const spanMs = Date.parse(points.at(-1)?.at ?? "") - from;
  if (!(spanMs > 0)) return [];
  const sums = Array.from({ length: SPARK_BARS }, () => 0);
  for (const { at, usd, tokensIn, tokensOut } of points) {
    const part = Math.min(SPARK_BARS - 1, Math.floor(((Date.parse(at) - from) / spanMs) * SPARK_BARS));
    sums[part] = (sums[part] ?? 0) + (hasTokens ? tokensIn + tokensOut : usd);
  }
  const most = Math.max(...sums);
  return most <= 0 ? [] : sums.map((sum) => Math.max(0, sum) / most);
}
