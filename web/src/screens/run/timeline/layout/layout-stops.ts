import type { Loaded } from "./layout-items.ts";

/** A place that the arrow keys stop at. */
export interface Stop {
  readonly seq: number;
  readonly at: number;
}

/** The next bar or mark in the order of the journal; from nothing, the last one backwards or the first one forwards. */
export function nextStop({ marks, lasting }: Loaded, from: number | null, step: 1 | -1): Stop | null {
  const stops = [
    ...marks.map(({ seq, at }) => ({ seq, at })),
    ...lasting.flatMap(({ fromSeq, from: at }) =>
      fromSeq === null || at === null ? [] : [{ seq: fromSeq, at }],
    ),
  ].sort((one, other) => one.seq - other.seq);
  if (from === null) return (step === 1 ? stops[0] : stops.at(-1)) ?? null;
  if (step === 1) return stops.find(({ seq }) => seq > from) ?? null;
  return stops.findLast(({ seq }) => seq < from) ?? null;
}
