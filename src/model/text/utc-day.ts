// Without schemas: the pages load it.
import { isoTime } from "./iso-time.ts";

const DAY_MS = 86_400_000;

/** The day of an instant, in UTC: `2026-11-17`. Hosts in different time zones count the same day. */
export const dayOf = (at: number): string => isoTime(at).slice(0, 10);

/** When the day of an instant is over. */
export const dayEndsAt = (at: number): number => (Math.floor(at / DAY_MS) + 1) * DAY_MS;
