import { clockText } from "../../../ui/time-text.ts";

const withSeconds = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** `19:00`; `19:00:15` where it is not a whole minute. */
export const tickText = (at: number, now: number): string =>
  at % 60_000 === 0 ? clockText(at, now) : withSeconds.format(at);
