import type { Loaded } from "./layout-items.ts";

/** The whole run by numbers of events, in so many cells: what is loaded of each, and what it holds. */
export interface MiniCell {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly isLoaded: boolean;
  readonly marks: number;
  /** Something in it that people look for: a remedy, a block, a question. */
  readonly isNotable: boolean;
}

const NOTABLE: ReadonlySet<string> = new Set(["remedy", "question", "clock", "end"]);

export function miniMapOf(loaded: Loaded, cells: number): MiniCell[] {
  const { head, fromSeq, toSeq } = loaded;
  const count = Math.max(1, Math.min(cells, head));
  const per = head / count;
  const marks = new Array<number>(count).fill(0);
  const notable = new Array<boolean>(count).fill(false);
  const cellOf = (seq: number): number => Math.min(count - 1, Math.max(0, Math.floor((seq - 1) / per)));
  for (const { seq, kind } of loaded.marks) {
    const at = cellOf(seq);
    marks[at] = (marks[at] ?? 0) + 1;
    if (NOTABLE.has(kind)) notable[at] = true;
  }
  for (const { kind, fromSeq: seq } of loaded.lasting)
    if (kind === "blocked" && seq !== null) notable[cellOf(seq)] = true;
  return marks.map((sum, at) => {
    const [first, last] = [Math.floor(at * per) + 1, Math.max(1, Math.floor((at + 1) * per))];
    return {
      fromSeq: first,
      toSeq: last,
      isLoaded: last >= fromSeq && first <= toSeq,
      marks: sum,
      isNotable: notable[at] ?? false,
    };
  });
}

/** Where on the map a share of its width lies, as the event that a window should end at. */
export const seqAtShare = (share: number, head: number): number =>
  Math.max(1, Math.min(head, Math.round(share * head)));
