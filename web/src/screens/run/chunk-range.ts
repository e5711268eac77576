/** Parts of a journal by their numbers, both ends included. */
export interface ChunkRange {
  readonly first: number;
  readonly last: number;
}

/** The part that an event lies in; events are counted from 1. */
export const chunkOf = (seq: number, size: number): number => Math.floor((Math.max(1, seq) - 1) / size);

/** Of the parts that are there the longest stretch without a gap, from the end of the range. */
export function keptChunks(there: readonly number[], { first, last }: ChunkRange): number[] {
  const known = new Set(there);
  const kept: number[] = [];
  for (let chunk = last; chunk >= first; chunk -= 1) {
    if (known.has(chunk)) kept.unshift(chunk);
    else if (kept.length > 0) break;
  }
  return kept;
}
