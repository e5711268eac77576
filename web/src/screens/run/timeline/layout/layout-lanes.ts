import type { Extent, Lasting, Loaded } from "./layout-items.ts";

/** One row: an attempt, what a step waits for, or what stops the whole run. */
export interface Lane {
  readonly id: string;
  readonly kind: "attempt" | "run";
  readonly label: string;
  readonly step: string;
  readonly bars: readonly Bar[];
}

export interface Bar extends Extent {
  readonly one: Lasting;
  /** Its beginning lies before what is loaded. */
  readonly isCutLeft: boolean;
  readonly isOpen: boolean;
}

/** Rows in the order in which they began: the run's own, and one for each attempt with the wait before it. */
export function lanesOf({ lasting }: Loaded, extent: Extent): Lane[] {
  const bar = (one: Lasting): Bar => ({
    one,
    from: one.from ?? extent.from,
    to: one.to ?? extent.to,
    isCutLeft: one.from === null,
    isOpen: one.to === null,
  });
  const ofRun = lasting.filter(({ kind }) => kind === "blocked" || kind === "paused").map(bar);
  const attempts = lasting.filter(({ kind }) => kind === "attempt").map(bar);
  attempts.sort((one, other) => one.from - other.from);
  const lanes = attempts.map((own) => laneOf(own));
  const waits = lasting.filter(({ kind }) => kind === "wait").map(bar);
  const withWaits = attachWaits(lanes, waits);
  return ofRun.length === 0
    ? withWaits
    : [{ id: "run", kind: "run", label: "run", step: "run", bars: ofRun }, ...withWaits];
}

const laneOf = (bar: Bar): Lane => ({
  id: bar.one.id,
  kind: "attempt",
  label: bar.one.id,
  step: bar.one.lane,
  bars: [bar],
});

/** A wait stands in the row of the attempt that it leads to; one that leads to none yet, behind the last one of its step. */
function attachWaits(lanes: readonly Lane[], waits: readonly Bar[]): Lane[] {
  const more = new Map<string, Bar[]>();
  const alone: Lane[] = [];
  for (const wait of waits) {
    const ofStep = lanes.filter(({ step }) => step === wait.one.lane);
    const lane = ofStep.find(({ bars }) => (bars[0]?.from ?? 0) >= wait.to - 1) ?? ofStep.at(-1);
    if (lane === undefined)
      alone.push({ ...laneOf(wait), id: `wait ${wait.one.lane}`, label: wait.one.lane });
    else more.set(lane.id, [...(more.get(lane.id) ?? []), wait]);
  }
  return [
    ...lanes.map((lane) => ({ ...lane, bars: [...(more.get(lane.id) ?? []), ...lane.bars] })),
    ...alone,
  ];
}

/** Of rows of one height those that a scrolled box shows, and a few beyond it. */
export function seenRows(
  count: number,
  { top, height, row }: { readonly top: number; readonly height: number; readonly row: number },
): { readonly first: number; readonly end: number } {
  const first = Math.max(0, Math.floor(top / row) - 2);
  return { first, end: Math.min(count, Math.ceil((top + height) / row) + 2) };
}
