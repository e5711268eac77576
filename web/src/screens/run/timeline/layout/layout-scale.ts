import type { Extent } from "./layout-items.ts";
import type { Fold } from "./layout-folds.ts";

/** A stretch of the axis: `u` is its beginning in units of the axis, in which folded gaps are short. */
export interface Segment extends Extent {
  readonly u: number;
  readonly units: number;
  readonly fold: Fold | null;
}

/** Time on the axis and back. */
export interface Scale {
  readonly segments: readonly Segment[];
  readonly units: number;
  uOf(time: number): number;
  timeAt(u: number): number;
}

/** A folded gap takes this share of what is not folded, so that its label has room. */
const FOLD_SHARE = 0.09;
const UNITS_MIN = 1_000;

export function scaleOf(extent: Extent, folds: readonly Fold[]): Scale {
  const folded = folds.reduce((sum, { from, to }) => sum + (to - from), 0);
  const open = Math.max(UNITS_MIN, extent.to - extent.from - folded);
  const segments = segmentsOf(extent, folds, open * FOLD_SHARE);
  const units = segments.reduce((sum, one) => sum + one.units, 0);
  return {
    segments,
    units,
    uOf(time) {
      const one = find(segments, (segment) => time < segment.to);
      if (one === undefined) return 0;
      const share = one.to === one.from ? 0 : (time - one.from) / (one.to - one.from);
      return one.u + Math.min(1, Math.max(0, share)) * one.units;
    },
    timeAt(u) {
      const one = find(segments, (segment) => u < segment.u + segment.units);
      if (one === undefined) return extent.from;
      const share = one.units === 0 ? 0 : (u - one.u) / one.units;
      return one.from + Math.min(1, Math.max(0, share)) * (one.to - one.from);
    },
  };
}

function segmentsOf(extent: Extent, folds: readonly Fold[], foldUnits: number): Segment[] {
  const segments: Segment[] = [];
  let [at, u] = [extent.from, 0];
  const add = (to: number, units: number, fold: Fold | null): void => {
    if (to <= at) return;
    segments.push({ from: at, to, u, units, fold });
    [at, u] = [to, u + units];
  };
  for (const fold of folds) {
    add(fold.from, fold.from - at, null);
    add(fold.to, Math.min(foldUnits, fold.to - fold.from), fold);
  }
  add(extent.to, extent.to - at, null);
  return segments;
}

/** The first that fits, by halves: there may be thousands. The last one where none does. */
function find(segments: readonly Segment[], fits: (segment: Segment) => boolean): Segment | undefined {
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const segment = segments[middle];
    if (segment !== undefined && fits(segment)) high = middle;
    else low = middle + 1;
  }
  return segments[low];
}
