/** A time as documents carry it. */
const ISO_TIMES = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z(?![\w.])/g;

/**
 * Times in people's text as their clock shows them, with the zone: `2026-11-18T16:19:06+01:00`. Still ISO 8601, so that
 * a command that was printed with such a time can be pasted. In UTC only the milliseconds are dropped.
 */
export const localTimes = (text: string): string =>
  text.replaceAll(ISO_TIMES, (iso) => localTime(new Date(iso)) ?? iso);

const DAY_MS = 86_400_000;

/** The same where each line begins with the hour: times of the day around `nowMs` are the hour alone. */
export const shortTimes = (text: string, nowMs: number): string =>
  localTimes(
    text.replaceAll(ISO_TIMES, (iso) => {
      const at = Date.parse(iso);
      return Math.abs(at - nowMs) < DAY_MS / 2 ? clockText(at) : iso;
    }),
  );

function localTime(time: Date): string | null {
  if (Number.isNaN(time.getTime())) return null;
  const offset = -time.getTimezoneOffset();
  const shifted = new Date(time.getTime() + offset * 60_000).toISOString().slice(0, 19);
  if (offset === 0) return `${shifted}Z`;
  const part = (amount: number): string => String(Math.floor(amount)).padStart(2, "0");
  return `${shifted}${offset < 0 ? "-" : "+"}${part(Math.abs(offset) / 60)}:${part(Math.abs(offset) % 60)}`;
}

/** The hour of the day here, as people compare it with their clock. */
export const clockText = (ms: number): string => {
  const time = new Date(ms);
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
};

/** A length of time in its two largest units. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [days, hours, minutes] = [seconds / 86_400, (seconds / 3_600) % 24, (seconds / 60) % 60].map(
    Math.floor,
  );
  if (days) return `${String(days)} d ${String(hours)} h`;
  if (hours) return `${String(hours)} h ${String(minutes)} min`;
  if (minutes) return `${String(minutes)} min ${String(seconds % 60)} s`;
  return `${String(seconds)} s`;
}
