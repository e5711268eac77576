import { waitsForEnd } from "../../decide/requests/decide-alarms.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** An alarm that is still to ring. */
export interface AlarmView {
  readonly id: string;
  readonly run: string;
  readonly at: string;
  readonly note: string;
  readonly by: string;
  /** Null where whoever is at work then is meant. */
  readonly step: string | null;
  /** Whether the run, which is paused, goes on then. */
  readonly wakes: boolean;
  /** Whether it waits for the agent at work to end, which cannot be told before. */
  readonly afterAttempt: boolean;
}

/** What is still to ring, soonest first. */
export const pendingAlarms = (state: RunState): AlarmView[] =>
  Object.values(state.alarms)
    .sort((one, other) => one.dueAt - other.dueAt)
    .map((alarm) => ({
      id: alarm.id,
      run: state.run,
      at: isoTime(alarm.dueAt),
      note: alarm.note,
      by: alarm.by,
      step: alarm.step ?? null,
      wakes: alarm.wakes,
      afterAttempt: waitsForEnd(state, alarm),
    }));

export const alarmText = ({ id, at, note, by, afterAttempt }: AlarmView): string =>
  `${id} rings at ${at}${afterAttempt ? ", or once the agent at work has ended" : ""}: ${note} (set by ${by})`;
