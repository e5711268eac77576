import type { Extent, Mark } from "./layout-items.ts";

/** Who supervised the run from when to when. */
export interface Ownership extends Extent {
  /** Null: who that was is not in what is loaded. */
  readonly owner: string | null;
  /** Why it ended; null where it has not. */
  readonly change: Mark | null;
}

/** A claim ends the time of the owner before it. `ownerOf` reads from a mark who has claimed the run. */
export function ownersOf(
  marks: readonly Mark[],
  extent: Extent,
  ownerOf: (mark: Mark) => string | null,
): Ownership[] {
  const found: Ownership[] = [];
  let owner: string | null = null;
  let from = extent.from;
  for (const mark of marks) {
    if (mark.kind !== "owner") continue;
    if (mark.at > from) found.push({ owner, from, to: mark.at, change: mark });
    [owner, from] = [ownerOf(mark), mark.at];
  }
  found.push({ owner, from, to: Math.max(from, extent.to), change: null });
  return found;
}
