import type { Mark } from "./layout-items.ts";

/** A remedy with what came of it; null while that is not known. */
export interface Remedy {
  readonly mark: Mark;
  readonly name: string;
  readonly result: Mark | null;
}

/** Each remedy has the next result of its step as its own. */
export function remediesOf(marks: readonly Mark[]): Remedy[] {
  const remedies: Remedy[] = [];
  const open = new Map<string, number>();
  for (const mark of marks) {
    if (mark.kind === "remedy") {
      open.set(mark.lane, remedies.length);
      remedies.push({ mark, name: mark.outcome ?? "remedy", result: null });
    } else if (mark.kind === "remedy_result") {
      const at = open.get(mark.lane);
      const remedy = at === undefined ? undefined : remedies[at];
      if (at === undefined || remedy === undefined) continue;
      remedies[at] = { ...remedy, result: mark };
      open.delete(mark.lane);
    }
  }
  return remedies;
}

/** Marks that would lie on each other, as one. */
export interface Cluster {
  readonly x: number;
  readonly marks: readonly Mark[];
}

/** `xOf` answers pixels; what lies outside 0…`width` is left out. The marks are in order of time. */
export function clustersOf(
  marks: readonly Mark[],
  xOf: (time: number) => number,
  { width, apart }: { readonly width: number; readonly apart: number },
): Cluster[] {
  const clusters: { x: number; marks: Mark[] }[] = [];
  for (const mark of marks) {
    const x = xOf(mark.at);
    if (x < -apart || x > width + apart) continue;
    const last = clusters.at(-1);
    if (last !== undefined && x - last.x < apart) last.marks.push(mark);
    else clusters.push({ x, marks: [mark] });
  }
  return clusters;
}

/** What a step's remedies stand under: the attempt of that step that was at work then, or the last one before. */
export function laneAt(
  lanes: readonly {
    readonly id: string;
    readonly step: string;
    readonly bars: readonly { readonly from: number }[];
  }[],
  step: string,
  at: number,
): string | null {
  let found: string | null = null;
  for (const { id, step: of, bars } of lanes) {
    const begins = bars.at(-1)?.from ?? Infinity;
    if (of === step && begins <= at) found = id;
  }
  return found;
}
