import type { HealthState } from "../../model/agent/health.ts";
import type { HealthLimits } from "./health-limits.ts";

const PACE_CALLS = 4;

/** Notes how long the model took until this call. Time in tools, and in waits for others, is not its own. */
export function notePace({ pace, open, asks }: HealthState, at: number, { timed }: HealthLimits): void {
  if (!timed || pace.from === null || open.length > 0 || asks.length > 0) return;
  pace.gapsMs = [...pace.gapsMs, at - pace.from].slice(-PACE_CALLS);
  pace.from = null;
}

/** The mean over its latest calls; null before there are enough of them. */
export const paceOf = ({ pace: { gapsMs } }: HealthState): number | null =>
  gapsMs.length < PACE_CALLS ? null : gapsMs.reduce((sum, ms) => sum + ms, 0) / gapsMs.length;
