/** A date and a time of day as a clock on a wall shows them. Months count from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

export const DAY_MS = 86_400_000;

/** Days since 1970 of a date in the Gregorian calendar. */
function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export const utcMs = ({ year, month, day, hour, minute }: WallTime): number =>
  daysOf(year, month, day) * DAY_MS + hour * 3_600_000 + minute * 60_000;

/** Abbreviations that agents print; the same letters may mean other zones elsewhere. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  UTC: "UTC",
  GMT: "UTC",
  Z: "UTC",
  PST: "America/Los_Angeles",
  PDT: "America/Los_Angeles",
  PT: "America/Los_Angeles",
  MST: "America/Denver",
  MDT: "America/Denver",
  CST: "America/Chicago",
  CDT: "America/Chicago",
  EST: "America/New_York",
  EDT: "America/New_York",
  ET: "America/New_York",
  BST: "Europe/London",
  CET: "Europe/Berlin",
  CEST: "Europe/Berlin",
  IST: "Asia/Kolkata",
  JST: "Asia/Tokyo",
  KST: "Asia/Seoul",
  AEST: "Australia/Sydney",
  AEDT: "Australia/Sydney",
};

/** The name of a zone that can be computed with, or null. */
export function knownZone(name: string): string | null {
  const short = ABBREVIATIONS[name.toUpperCase()];
  if (short !== undefined) return short;
  if (!name.includes("/")) return null;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return name;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** What clocks in a zone show at an instant. */
export function wallTime(ms: number, zone: string): WallTime {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(ms);
  const value = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return {
    year: value("year"),
    month: value("month"),
    day: value("day"),
    hour: value("hour"),
    minute: value("minute"),
  };
}

/** The instant at which clocks in a zone show a time. Where they are set forward over it, shortly after. */
export function instantOf(wall: WallTime, zone: string): number {
  const wanted = utcMs(wall);
  let guess = wanted;
  for (let round = 0; round < 2; round += 1) guess += wanted - utcMs(wallTime(guess, zone));
  return guess;
}
