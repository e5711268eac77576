/** How long an agent says it has to wait: for a while, or until a time of day after it was started. */
export interface NamedWait {
  readonly retryAfterMs?: number;
  readonly resetsAt?: number;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  second: 1_000,
  m: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  day: 86_400_000,
};

const SPAN = /(\d{1,9}(?:\.\d{1,9})?) ?(ms|seconds?|s|minutes?|m|hours?|h|days?)\b/gi;
const TIME_OF_DAY = /\b(?:try again at|resets(?: at)?) (\d{1,2})(?::(\d{2}))? ?(am|pm)\b( \(UTC\))?/i;
const DAY_MS = 86_400_000;

export function namedWait(text: string, startedAt: number): NamedWait {
  const words = /\b(?:try again in|retry after|retry in|retrying in|resets in) (.{1,80})/i.exec(text)?.[1];
  const spans = words === undefined ? [] : [...words.matchAll(SPAN)];
  if (spans.length > 0) {
    const sum = spans.reduce((total, [, count, unit]) => total + Number(count) * unitMs(unit ?? ""), 0);
    return { retryAfterMs: Math.round(sum) };
  }
  const time = TIME_OF_DAY.exec(text);
  return time === null ? {} : timeOfDay(time, startedAt);
}

const unitMs = (unit: string): number => {
  const name = unit.toLowerCase();
  return UNITS_MS[name] ?? UNITS_MS[name.replace(/s$/, "")] ?? 0;
};

/** The first such time after the start; in the zone of this machine unless another is named. */
function timeOfDay([, hourText, minuteText, half, utc]: RegExpExecArray, startedAt: number): NamedWait {
  const hour = (Number(hourText) % 12) + (half?.toLowerCase() === "pm" ? 12 : 0);
  const minute = Number(minuteText ?? 0);
  const day = new Date(startedAt);
  if (utc === undefined) day.setHours(hour, minute, 0, 0);
  else day.setUTCHours(hour, minute, 0, 0);
  const resetsAt = day.getTime();
  return { resetsAt: resetsAt > startedAt ? resetsAt : resetsAt + DAY_MS };
}
