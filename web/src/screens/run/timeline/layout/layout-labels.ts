/** Something that stands at a place of a row and wants to say more than it can show there. */
export interface Placed<Item> {
  readonly item: Item;
  readonly left: number;
  /** How far it may reach without lying on the next one. */
  readonly room: number;
}

/** Narrower than this a sign cannot be pressed. */
const SIGN_PX = 26;

/** Signs of one row in order of time, none over another: each stands at its time or behind the one before it. */
export function placeSigns<Item>(
  signs: readonly { readonly item: Item; readonly x: number }[],
  width: number,
): Placed<Item>[] {
  const seen = signs.filter(({ x }) => x >= -4 && x <= width + 4).toSorted((one, other) => one.x - other.x);
  const lefts: number[] = [];
  for (const { x } of seen) lefts.push(Math.max(x, (lefts.at(-1) ?? -SIGN_PX) + SIGN_PX));
  let edge = width;
  for (let at = lefts.length - 1; at >= 0; at -= 1)
    edge = lefts[at] = Math.min(lefts[at] ?? 0, edge - SIGN_PX);
  return seen.map(({ item }, at) => {
    const left = lefts[at] ?? 0;
    return { item, left, room: (lefts[at + 1] ?? width) - left };
  });
}

/** How wide a label may be that stands over the middle of each stretch, so that none lies on its neighbour. */
export function roomOver(
  middles: readonly number[],
  width: number,
): readonly { readonly middle: number; readonly room: number }[] {
  return middles.map((middle, at) => {
    const before = at === 0 ? 2 * middle : middle - (middles[at - 1] ?? 0);
    const after = at === middles.length - 1 ? 2 * (width - middle) : (middles[at + 1] ?? 0) - middle;
    return { middle, room: Math.max(0, Math.min(before, after) - 6) };
  });
}
