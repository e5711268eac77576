import { isoTime } from "./iso-time.ts";

/** What each field may hold: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday). */
const FIELDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

const PART = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Time began on a Thursday. */
const FIRST_WEEKDAY = 4;
/** The 29th of February on one day of the week comes again after 28 years at most. */
const DAYS_MAX = 366 * 29;

type Sets = readonly [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];

export const isCron = (text: string): boolean => {
  const sets = setsOf(text);
  return sets !== null && sets.every(({ size }) => size > 0);
};

/** The first minute after a time that the fields name, in UTC; null where no day does. */
export function nextCron(text: string, after: number): number | null {
  const sets = setsOf(text);
  if (sets === null) return null;
  const first = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  for (let day = 0; day < DAYS_MAX; day += 1) {
    const from = day === 0 ? first : Math.floor(first / DAY_MS) * DAY_MS + day * DAY_MS;
    if (!isDay(sets, text, from)) continue;
    const end = (Math.floor(from / DAY_MS) + 1) * DAY_MS;
    for (let at = from; at < end; at += MINUTE_MS) {
      const minutes = (at % DAY_MS) / MINUTE_MS;
      if (sets[1].has(Math.floor(minutes / 60)) && sets[0].has(minutes % 60)) return at;
    }
  }
  return null;
}

/** Where both days are named one of them suffices, as in every cron. */
function isDay([, , days, months, weekdays]: Sets, text: string, at: number): boolean {
  const [, month, date] = isoTime(at).slice(0, 10).split("-").map(Number);
  if (!months.has(month ?? 0)) return false;
  const weekday = (Math.floor(at / DAY_MS) + FIRST_WEEKDAY) % 7;
  const ofMonth = days.has(date ?? 0);
  const ofWeek = weekdays.has(weekday) || (weekday === 0 && weekdays.has(7));
  const [, , day = "*", , week = "*"] = text.trim().split(/\s+/);
  return day.startsWith("*") || week.startsWith("*") ? ofMonth && ofWeek : ofMonth || ofWeek;
}

function setsOf(text: string): Sets | null {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) return null;
  const sets = FIELDS.map(([low, high], at) => setOf(fields[at] ?? "", low, high));
  return sets.every((set) => set !== null) ? (sets as unknown as Sets) : null;
}

function setOf(field: string, low: number, high: number): Set<number> | null {
  const set = new Set<number>();
  for (const part of field.split(",")) {
    const match = PART.exec(part);
    if (match === null) return null;
    const [, from, to, step] = match;
    const first = from === undefined ? low : Number(from);
    const last = to !== undefined ? Number(to) : from === undefined || step !== undefined ? high : first;
    const by = step === undefined ? 1 : Number(step);
    if (by < 1 || first < low || last > high || first > last) return null;
    for (let value = first; value <= last; value += by) set.add(value);
  }
  return set;
}
