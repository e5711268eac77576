import { Fault } from "../../model/fault.ts";

/** A time to come, as people write it: `07:30` (the next one here), or a date with a time. */
export function timeAhead(text: string, now: number): number {
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim());
  const at = clock === null ? Date.parse(text) : nextClock(Number(clock[1]), Number(clock[2]), now);
  if (Number.isNaN(at) || (clock === null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text.trim())))
    throw new Fault(
      "usage",
      `--at "${text}" is no time; expected a time of day such as 07:30, or one such as 2026-03-01T07:30`,
    );
  if (at <= now)
    throw new Fault(
      "usage",
      `--at "${text}" has passed: it is ${new Date(now).toISOString()}; expected a time to come`,
    );
  return at;
}

function nextClock(hours: number, minutes: number, now: number): number {
  const day = new Date(now);
  day.setHours(hours, minutes, 0, 0);
  if (day.getTime() <= now) day.setDate(day.getDate() + 1);
  return day.getTime();
}
