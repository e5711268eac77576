import { waitsForEnd } from "../../src/decide/requests/decide-alarms.ts";
import { JUMP_MS_MIN, type ClockReading } from "../../src/model/host/clock.ts";
import type { Moment, Say, Watcher } from "../world/replay.ts";

/** Jumps that are too small to be noticed, once when a duration began and once when it ended. */
const TOLERANCE_MS = 2 * JUMP_MS_MIN;

interface Due {
  /** By the machine's own time. */
  readonly at: number;
  readonly lastsMs: number;
}

/**
 * Durations are measured here by the time that passed on the machine, which the simulator never sets, whatever the wall
 * clocks of its processes showed: none ends early, and none that a turn should have seen to be over goes on. Between
 * machines nothing is compared: each has a wall clock of its own.
 */
export function durationsKept(): Watcher {
  let clock: ClockReading | null = null;
  const retries = new Map<string, Due>();
  const alarms = new Map<string, Due>();
  let guard: Due | null = null;
  const forget = (): void => {
    retries.clear();
    alarms.clear();
    guard = null;
  };
  const ranTo = (at: number): number => (clock === null ? at : at - clock.at + clock.runMs);
  const dueIn = (lastsMs: number, at: number): Due => ({ at: ranTo(at) + lastsMs, lastsMs });
  const early = (what: string, due: Due | null | undefined, { event }: Moment, say: Say): void => {
    const leftMs = due === null || due === undefined ? 0 : due.at - ranTo(event.at);
    if (leftMs > TOLERANCE_MS)
      say(
        `${what} ended at ${String(event.seq)}, ${String(leftMs)} ms before its ${String(due?.lastsMs)} ms`,
      );
  };
  const read = ({ event }: Moment): void => {
    if (event.type !== "RunClaimed" && event.type !== "ClockJumped") return;
    const before = clock?.boot;
    clock = event.data.clock ?? null;
    if (clock?.boot !== before) forget();
  };
  const late = ({ event, state }: Moment, say: Say): void => {
    if (state.status === "pausing") return;
    for (const [id, due] of alarms) {
      const alarm = state.alarms[id];
      if (alarm === undefined || waitsForEnd(state, alarm)) continue;
      if (ranTo(event.at) > due.at + TOLERANCE_MS)
        say(
          `${id} was to ring after ${String(due.lastsMs)} ms and had not by the turn at ${String(event.seq)}`,
        );
    }
  };
  return {
    see(moment, say) {
      read(moment);
      if (clock === null) return;
      const { type, data, at } = moment.event;
      if (type === "StepRetryScheduled") {
        if (data.named === true || isAlarm(moment)) retries.delete(data.step);
        else retries.set(data.step, dueIn(data.notBefore - at, at));
      }
      if (type === "StepReset") retries.delete(data.step);
      if (type === "AlarmDropped") retries.clear();
      if (type === "CrashGuardTripped") guard = dueIn(data.until - at, at);
      if (type === "RunUnblocked") guard = null;
      if (type === "AlarmSet" && data.alarm.afterMs !== undefined)
        alarms.set(data.alarm.id, dueIn(data.alarm.dueAt - at, at));
      if (type === "AlarmRang") early(data.id, alarms.get(data.id), moment, say);
      if (type === "AlarmRang" || type === "AlarmDropped") alarms.delete(data.id);
      if (type === "AttemptStarted") {
        early(`the wait before ${data.attempt}`, retries.get(data.step), moment, say);
        early(`the crash guard before ${data.attempt}`, guard, moment, say);
        retries.delete(data.step);
      }
      if (moment.turnEnds) late(moment, say);
    },
  };
}

/** A step may sleep until an alarm: that is looked at where the alarm is. */
const isAlarm = ({ event, state }: Moment): boolean =>
  event.type === "StepRetryScheduled" &&
  Object.values(state.alarms).some(({ dueAt }) => dueAt === event.data.notBefore);
