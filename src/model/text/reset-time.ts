import { DAY_MS, instantOf, knownZone, wallTime, type WallTime } from "./zoned-time.ts";

/** When a limit ends, as far as the text says: a span from now, an instant, or both. */
export interface ResetTime {
  readonly retryAfterMs?: number;
  readonly resetsAt?: number;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  d: DAY_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** Words after which a time is named. Each is looked at in turn; a span of text behind it is read. */
const ANCHOR =
  /\b(?:reset[-_ ]at|resets?(?: (?:at|in|on|after))?|try again(?: (?:at|in|on|after))?|retry(?:ing)?[- ]?(?:after|in|at)?(?:[- ]?(?:ms|seconds))?|retrydelay|available(?: again)? (?:at|in|on)|wait(?:ing)?(?: for)?|until|back (?:at|in))\b/gi;
const TAIL_CHARS = 80;
const READ_CHARS_MAX = 8_000;
const ANCHORS_MAX = 40;

/** Finds when a limit ends. `zone` is where times without a zone are reported. Linear in the text. */
export function resetTime(whole: string, now: number, zone: string): ResetTime {
  const text = whole.slice(0, READ_CHARS_MAX);
  const epoch = /\| ?(\d{10})(\d{3})?\b/.exec(text) ?? /"resets?_?at" ?: ?(\d{10})(\d{3})?\b/i.exec(text);
  if (epoch !== null) return { resetsAt: Number(epoch[1]) * 1_000 + Number(epoch[2] ?? 0) };
  let tries = 0;
  for (const anchor of text.matchAll(ANCHOR)) {
    tries += 1;
    if (tries > ANCHORS_MAX) break;
    const from = anchor.index + anchor[0].length;
    const tail = text.slice(from, from + TAIL_CHARS);
    const found = span(anchor[0], tail) ?? isoInstant(tail) ?? clock(tail, now, zone);
    if (found !== null) return found;
  }
  return {};
}

const SPAN_START = /^[\s:="'(~]{0,6}(?:in |for |about |after )?[\s"']{0,2}(?=\d)/i;
const SPAN_PART =
  /^(\d{1,9}(?:\.\d{1,12})?) ?(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?)\b/i;

function span(anchor: string, tail: string): ResetTime | null {
  const start = SPAN_START.exec(tail);
  if (start === null) return null;
  let rest = tail.slice(start[0].length);
  let total = 0;
  let parts = 0;
  for (let part = partOf(rest); part !== null; part = partOf(rest)) {
    total += Number(part[1]) * unitMs(part[2] ?? "");
    parts += 1;
    rest = rest.slice(part[0].length).replace(/^(?:,? and |, ?|\s{1,3})/, "");
  }
  if (parts > 0) return { retryAfterMs: Math.round(total) };
  // A header names seconds, or milliseconds where its name says so, and nothing else.
  const header = /^(\d{1,9})(?:\s|["',;})\]]|$)/.exec(rest);
  if (header === null || !/retry[- ]?after/i.test(anchor)) return null;
  return { retryAfterMs: Number(header[1]) * (/ms$/i.test(anchor) ? 1 : 1_000) };
}

/** `1h2m3s`: no boundary between the parts. */
const GLUED_PART = /^(\d{1,6}(?:\.\d{1,9})?)(ms|s|m|h|d)(?=\d)/i;
const partOf = (rest: string): RegExpExecArray | null => SPAN_PART.exec(rest) ?? GLUED_PART.exec(rest);

function unitMs(unit: string): number {
  const name = unit.toLowerCase();
  return UNITS_MS[name] ?? UNITS_MS[name.replace(/s$/, "")] ?? 0;
}

const ISO =
  /^[\s:="'(]{0,6}(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)? ?(Z|UTC|[+-]\d\d:?\d\d)?/;

function isoInstant(tail: string): ResetTime | null {
  const found = ISO.exec(tail);
  if (found === null) return null;
  const [, year, month, day, hour, minute, second, offset] = found;
  const wall = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
  };
  const base = instantOf(wall, "UTC") + Number(second ?? 0) * 1_000;
  return { resetsAt: base - offsetMs(offset ?? "Z") };
}

function offsetMs(offset: string): number {
  const found = /^([+-])(\d\d):?(\d\d)$/.exec(offset);
  if (found === null) return 0;
  return (found[1] === "-" ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3])) * 60_000;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH_DAY =
  /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?/i;
const DAY_MONTH =
  /\b(\d{1,2})(?:st|nd|rd|th)? (jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}(?:,? (\d{4}))?/i;
const TIME =
  /(?:^|[\s,(])(\d{1,2})(?::(\d{2}))?(?::\d{2})? ?(am|pm)\b|(?:^|[\s,(])([01]?\d|2[0-3]):([0-5]\d)\b|\b(midnight|noon)\b/i;
const WEEKDAY = /\b(sun|mon|tue|wed|thu|fri|sat)[a-z]{0,6}\b/i;
const WEEKDAYS = "sun mon tue wed thu fri sat".split(" ");
const ZONE =
  /\(([A-Za-z]+(?:\/[A-Za-z_+\-0-9]+){1,2})\)|\b(UTC|GMT|P[SD]?T|M[SD]T|C[SD]T|E[SD]?T|CES?T|BST|IST|JST|KST|AE[SD]T)\b/;

/** A time on a clock: the next such time, or that of the day that is named. */
function clock(tail: string, now: number, here: string): ResetTime | null {
  const time = TIME.exec(tail);
  if (time === null) return null;
  const named = ZONE.exec(tail);
  const zone = knownZone(named?.[1] ?? named?.[2] ?? "") ?? here;
  const today = wallTime(now, zone);
  const at = { hour: hourOf(time), minute: Number(time[2] ?? time[5] ?? 0) };
  const date = dateIn(tail, today);
  if (date !== null) {
    const resetsAt = instantOf({ ...date, ...at }, zone);
    // Without a year, a date long past is next year's.
    if (date.named || resetsAt > now - 180 * DAY_MS) return { resetsAt };
    return { resetsAt: instantOf({ ...date, year: date.year + 1, ...at }, zone) };
  }
  const resetsAt = instantOf({ ...today, ...at }, zone);
  // By the calendar, not by 24 hours: clocks may be set in between.
  const day = today.day + daysAhead(tail, resetsAt, now);
  return { resetsAt: instantOf({ ...today, day, ...at }, zone) };
}

function daysAhead(tail: string, sameDay: number, now: number): number {
  const named = WEEKDAY.exec(tail)?.[1];
  if (named !== undefined) {
    // The first of January 1970 was a Thursday.
    const today = (Math.floor(sameDay / DAY_MS) + 4) % 7;
    const days = (WEEKDAYS.indexOf(named.toLowerCase()) - today + 7) % 7;
    return days === 0 && sameDay <= now ? 7 : days;
  }
  return /\btomorrow\b/i.test(tail) || sameDay <= now ? 1 : 0;
}

function hourOf(time: RegExpExecArray): number {
  if (time[6] !== undefined) return time[6].toLowerCase() === "noon" ? 12 : 0;
  if (time[4] !== undefined) return Number(time[4]);
  return (Number(time[1]) % 12) + (time[3]?.toLowerCase() === "pm" ? 12 : 0);
}

type NamedDate = Pick<WallTime, "year" | "month" | "day"> & { readonly named: boolean };

function dateIn(tail: string, today: WallTime): NamedDate | null {
  const first = MONTH_DAY.exec(tail);
  const second = first === null ? DAY_MONTH.exec(tail) : null;
  const month = first?.[1] ?? second?.[2];
  const day = first?.[2] ?? second?.[1];
  if (month === undefined || day === undefined) return null;
  const year = first?.[3] ?? second?.[3];
  return {
    year: year === undefined ? today.year : Number(year),
    month: MONTHS.indexOf(month.toLowerCase().slice(0, 3)) + 1,
    day: Number(day),
    named: year !== undefined,
  };
}
