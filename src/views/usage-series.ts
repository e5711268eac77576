import type { Recorded } from "../model/events/events.ts";
import { isoTime } from "../model/text/iso-time.ts";

/** What was used between two places of the journal. */
export interface UsagePoint {
  readonly at: string;
  readonly seq: number;
  readonly usd: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface ContextPoint {
  readonly at: string;
  readonly seq: number;
  readonly attempt: string;
  readonly usedPct: number;
}

export interface SeriesView {
  /** Each with what was used since the point before it. */
  readonly usage: readonly UsagePoint[];
  readonly context: readonly ContextPoint[];
}

type Sums = { -readonly [Key in keyof UsagePoint]: UsagePoint[Key] };

/** Cost and context over a window of the journal, in at most so many points each. */
export function usageSeries(events: readonly Recorded[], pointsMax: number): SeriesView {
  const context: ContextPoint[] = [];
  const usage: Sums[] = [];
  const totals = new Map<string, { usd: number; tokensIn: number; tokensOut: number }>();
  for (const event of events) {
    if (event.type !== "SignalsHeard") continue;
    const { attempt, signals } = event.data;
    const at = isoTime(event.at);
    const used = { at, seq: event.seq, usd: 0, tokensIn: 0, tokensOut: 0 };
    for (const signal of signals) {
      if (signal.kind === "context") context.push({ at, seq: event.seq, attempt, usedPct: signal.usedPct });
      if (signal.kind !== "usage") continue;
      const before = totals.get(attempt) ?? { usd: 0, tokensIn: 0, tokensOut: 0 };
      const after = {
        usd: signal.usdTotal ?? before.usd + (signal.usd ?? 0),
        tokensIn: Math.max(signal.tokensInTotal ?? 0, before.tokensIn + (signal.tokensIn ?? 0)),
        tokensOut: Math.max(signal.tokensOutTotal ?? 0, before.tokensOut + (signal.tokensOut ?? 0)),
      };
      totals.set(attempt, after);
      used.usd += after.usd - before.usd;
      used.tokensIn += after.tokensIn - before.tokensIn;
      used.tokensOut += after.tokensOut - before.tokensOut;
    }
    if (used.usd !== 0 || used.tokensIn !== 0 || used.tokensOut !== 0) usage.push(used);
  }
  return { usage: thinned(usage, pointsMax, sum), context: thinned(context, pointsMax, (_, later) => later) };
}

const sum = (one: Sums, other: Sums): Sums => ({
  ...other,
  usd: one.usd + other.usd,
  tokensIn: one.tokensIn + other.tokensIn,
  tokensOut: one.tokensOut + other.tokensOut,
});

/** Neighbours are joined, so that nothing is left out of a sum. */
function thinned<Point>(
  points: readonly Point[],
  max: number,
  join: (one: Point, other: Point) => Point,
): Point[] {
  const together = Math.ceil(points.length / max);
  if (together <= 1) return [...points];
  const found: Point[] = [];
  for (let at = 0; at < points.length; at += together) {
    const group = points.slice(at, at + together);
    const [first, ...rest] = group;
    if (first !== undefined) found.push(rest.reduce(join, first));
  }
  return found;
}
