import type { Recorded } from "../../model/events/events.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** What was thought of an attempt's health from one moment on. */
export interface HealthPoint {
  readonly at: string;
  readonly seq: number;
  readonly attempt: string;
  readonly state: string;
  readonly pattern: string | null;
  readonly confidence: number;
  readonly evidence: readonly string[];
  readonly waitsFor: string | null;
  readonly until: string | null;
}

export interface HealthHistory {
  readonly health: readonly HealthPoint[];
  /** Of the attempts at work now, where the window reaches to the last event: what is thought of each. */
  readonly now: readonly {
    readonly attempt: string;
    readonly state: string;
    readonly pattern: string | null;
  }[];
}

export function healthHistory(events: readonly Recorded[], state: RunState | null): HealthHistory {
  const health = events.flatMap((event): HealthPoint[] => {
    if (event.type !== "HealthChanged") return [];
    const { until, ...data } = event.data;
    const at = isoTime(event.at);
    return [{ at, seq: event.seq, ...data, until: until === null ? null : isoTime(until) }];
  });
  const now = Object.values(state?.attempts ?? {}).map(({ id, assessed }) => ({
    attempt: id,
    state: assessed.state,
    pattern: assessed.pattern,
  }));
  return { health, now };
}
