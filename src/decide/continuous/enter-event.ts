import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import { dayOf } from "../../model/text/utc-day.ts";

/** Where an event stands in its journal. */
export interface EventPlace {
  readonly seq: number;
  readonly at: number;
}

/** What every event of a session's or a mission's journal changes: its position, its time, and the day. */
export function enterEvent(
  state: { seq: number; at: number; today: ContinuousState["today"] },
  { seq, at }: EventPlace,
): void {
  state.seq = seq;
  state.at = at;
  if (dayOf(at) !== state.today.day) state.today = { day: dayOf(at), runs: 0, timeMs: 0 };
}
