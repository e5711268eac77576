import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { nextCron } from "../../model/text/cron.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { isClosing } from "./close-rule.ts";
import type { ContinuousFacts } from "./continuous-facts.ts";

type Trigger = ContinuousState["triggers"][string];

/**
 * Queues goals whose time has come. Times that were missed come once, as the last of them; while an earlier one of the
 * same goal is not over, the next one waits.
 */
export function triggerRule(state: ContinuousState, { now }: ContinuousFacts): RunEvent[] {
  if (isHeld(state, now)) return [];
  return Object.entries(state.triggers).flatMap(([trigger, found]): RunEvent[] => {
    const dueAt = isBusy(state, found) ? null : lastDueAt(state, found, now);
    if (dueAt === null) return [];
    return [{ type: "GoalTriggered", data: { trigger, goal: occurrenceOf(trigger, dueAt), dueAt } }];
  });
}

/** When the next goal is triggered; Infinity where none is. */
export function triggerDueAt(state: ContinuousState, now: number): number {
  if (isHeld(state, now)) return Infinity;
  return Object.values(state.triggers).reduce((earliest, found) => {
    const next = isBusy(state, found) ? null : nextDueAt(state, found);
    return next === null ? earliest : Math.min(earliest, next);
  }, Infinity);
}

/** A stop outranks every schedule. */
const isHeld = (state: ContinuousState, now: number): boolean =>
  state.stop !== null || state.pause !== null || isClosing(state, now);

const isBusy = ({ goals }: ContinuousState, { last }: Trigger): boolean =>
  last !== null && goals[last] !== undefined && goals[last].status !== "ended";

/** The first time after the last one. */
function nextDueAt({ begunAt }: ContinuousState, { goal, lastDueAt }: Trigger): number | null {
  if (goal.cron !== undefined) return nextCron(goal.cron, lastDueAt ?? begunAt);
  return lastDueAt === null ? begunAt : lastDueAt + (goal.everyMs ?? Infinity);
}

/** Of the times that have passed since, the last; null where there is none. */
function lastDueAt(state: ContinuousState, found: Trigger, now: number): number | null {
  const first = nextDueAt(state, found);
  if (first === null || first > now) return null;
  const { everyMs, cron } = found.goal;
  if (everyMs !== undefined) return first + Math.floor((now - first) / everyMs) * everyMs;
  let due = first;
  for (let count = 0; count < MISSED_MAX; count += 1) {
    const next = cron === undefined ? null : nextCron(cron, due);
    if (next === null || next > now) return due;
    due = next;
  }
  return due;
}

/** A day of minutes; what is missed beyond comes with the next look. */
const MISSED_MAX = 1_440;

/** `mail.20261117T0900`: the same time has the same id, whoever decides it. */
const occurrenceOf = (trigger: string, dueAt: number): string =>
  `${trigger.slice(0, 40)}.${isoTime(dueAt).slice(0, 19).replaceAll(/[-:]/g, "")}`;
