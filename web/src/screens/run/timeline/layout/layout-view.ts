/** The part of the axis that is seen, in its units. */
export interface View {
  readonly from: number;
  readonly to: number;
}

const VIEW_MIN = 500;

/** A view that lies on the axis and shows at least half a second of it. */
export function clampView(view: View, units: number): View {
  const length = Math.min(units, Math.max(Math.min(VIEW_MIN, units), view.to - view.from));
  const from = Math.min(Math.max(0, view.from), units - length);
  return { from, to: from + length };
}

/** By `factor` below 1 nearer, above 1 farther; what is at `anchor` (0 left, 1 right) stays where it is. */
export function zoomView(
  view: View,
  factor: number,
  { anchor, units }: { anchor: number; units: number },
): View {
  const length = view.to - view.from;
  const wanted = Math.min(units, Math.max(Math.min(VIEW_MIN, units), length * factor));
  const fixed = view.from + length * anchor;
  return clampView({ from: fixed - wanted * anchor, to: fixed + wanted * (1 - anchor) }, units);
}

/** By a share of what is seen: 1 is a whole view to the right. */
export function panView(view: View, share: number, units: number): View {
  const by = (view.to - view.from) * share;
  return clampView({ from: view.from + by, to: view.to + by }, units);
}

/** A view in which `u` can be seen; the one given where it can already. */
export function revealView(view: View, u: number, units: number): View {
  if (u >= view.from && u <= view.to) return view;
  const half = (view.to - view.from) / 2;
  return clampView({ from: u - half, to: u + half }, units);
}

/** The last part of an axis that got longer, where its end was seen before. */
export function followView(view: View, before: number, units: number): View {
  const length = view.to - view.from;
  if (view.from <= 0 && view.to >= before) return { from: 0, to: units };
  return view.to >= before - length * 0.02
    ? clampView({ from: units - length, to: units }, units)
    : clampView(view, units);
}

const STEP = 0.2;
const ZOOM = 0.7;

/** What a key does to the view; null for a key that is not of the timeline. */
export function keyedView(key: string, view: View, units: number): View | null {
  switch (key) {
    case "+":
    case "=":
      return zoomView(view, ZOOM, { anchor: 0.5, units });
    case "-":
      return zoomView(view, 1 / ZOOM, { anchor: 0.5, units });
    case "0":
      return { from: 0, to: units };
    case "h":
      return panView(view, -STEP, units);
    case "l":
      return panView(view, STEP, units);
    case "Home":
      return clampView({ from: 0, to: view.to - view.from }, units);
    case "End":
      return clampView({ from: units - (view.to - view.from), to: units }, units);
    default:
      return null;
  }
}
