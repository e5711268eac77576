import type { Scale } from "./layout-scale.ts";
import type { View } from "./layout-view.ts";

export interface Tick {
  readonly at: number;
  readonly x: number;
  readonly isDay: boolean;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30].map((n) => n * 24 * HOUR),
];

export interface TickRoom {
  readonly width: number;
  readonly apart: number;
  /** Minutes by which the zone is behind UTC, as `Date` counts. */
  readonly zoneMinutes: number;
}

/** Round times on the parts of the axis that are not folded, at least so far apart. */
export function ticksOf(scale: Scale, view: View, { width, apart, zoneMinutes }: TickRoom): Tick[] {
  const perUnit = width / Math.max(1, view.to - view.from);
  const least = apart / perUnit;
  const stepMs = STEPS_MS.find((step) => step >= least) ?? STEPS_MS.at(-1) ?? HOUR;
  const offset = zoneMinutes * MINUTE;
  const ticks: Tick[] = [];
  for (const { from, to, u, units, fold } of scale.segments) {
    if (fold !== null || u > view.to || u + units < view.from) continue;
    const seenFrom = Math.max(from, scale.timeAt(view.from));
    const seenTo = Math.min(to, scale.timeAt(view.to));
    for (let at = Math.ceil((seenFrom - offset) / stepMs) * stepMs + offset; at <= seenTo; at += stepMs) {
      const x = (scale.uOf(at) - view.from) * perUnit;
      if (x - (ticks.at(-1)?.x ?? -Infinity) < apart) continue;
      ticks.push({ at, x, isDay: (at - offset) % (24 * HOUR) === 0 });
    }
  }
  return ticks;
}
