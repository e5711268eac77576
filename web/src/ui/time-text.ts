const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;

/** `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function spanText(ms: number): string {
  const abs = Math.abs(ms);
  if (abs < MIN) return `${String(Math.round(abs / S))} s`;
  if (abs < H) return `${String(Math.round(abs / MIN))} min`;
  if (abs < D) return two(abs, { unit: H, name: "h", part: MIN, partName: "min" });
  return two(abs, { unit: D, name: "d", part: H, partName: "h" });
}

interface Units {
  readonly unit: number;
  readonly name: string;
  readonly part: number;
  readonly partName: string;
}

function two(ms: number, { unit, name, part, partName }: Units): string {
  const whole = Math.floor(ms / unit);
  const rest = Math.floor((ms % unit) / part);
  return rest === 0 ? `${String(whole)} ${name}` : `${String(whole)} ${name} ${String(rest)} ${partName}`;
}

/** `12 min ago`, `in 3 h 5 min`, `now`. */
export function relativeText(at: number, now: number): string {
  const ms = now - at;
  if (Math.abs(ms) < 5 * S) return "now";
  return ms > 0 ? `${spanText(ms)} ago` : `in ${spanText(ms)}`;
}

export const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const absolute = new Intl.DateTimeFormat("en-GB", {
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

export const absoluteText = (at: number): string => absolute.format(at);

/** `19:00` today, `20 Nov, 19:00` on another day. */
export const clockText = (at: number, now: number): string =>
  new Date(at).toDateString() === new Date(now).toDateString() ? clock.format(at) : dayAndClock.format(at);
