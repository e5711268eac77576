import type { Bar } from "./layout-lanes.ts";

export interface Box {
  readonly left: number;
  readonly width: number;
}

/** Narrower than this, a bar cannot be seen or pressed. */
export const BAR_PX_MIN = 6;

export interface BoxedBar extends Box {
  readonly bar: Bar;
}

/**
 * Where the bars of one row are drawn, in their order: each at its time, but none over its neighbour. What is too short
 * to be seen is as wide as `BAR_PX_MIN`, at the cost of the bar beside it.
 */
export function boxesOf(
  bars: readonly Bar[],
  { xOf, width }: { readonly xOf: (time: number) => number; readonly width: number },
): BoxedBar[] {
  const seen = bars
    .filter(({ from, to }) => xOf(to) >= 0 && xOf(from) <= width)
    .toSorted((one, other) => one.from - other.from);
  const found: BoxedBar[] = [];
  let taken = 0;
  for (const bar of seen) {
    const left = Math.max(taken, xOf(bar.from));
    const right = Math.max(left + BAR_PX_MIN, Math.min(width, xOf(bar.to)));
    found.push({ bar, left, width: right - left });
    taken = right;
  }
  return pushedBack(found, width);
}

/** The last ones may reach beyond the edge: they, and what is before them, move back. */
function pushedBack(boxes: readonly BoxedBar[], width: number): BoxedBar[] {
  const found: BoxedBar[] = [];
  let edge = width;
  for (const box of boxes.toReversed()) {
    const right = Math.min(edge, box.left + box.width);
    const left = Math.min(box.left, right - BAR_PX_MIN);
    found.push({ ...box, left, width: right - left });
    edge = left;
  }
  return found.toReversed();
}
