import type { ClockJump } from "../model/clock.ts";
import { durationText } from "../model/duration.ts";

/** What happened to the clock, and what that means. */
export function jumpText({ byMs, cause }: ClockJump): string {
  const long = durationText(Math.round(Math.abs(byMs) / 1_000) * 1_000);
  const what =
    cause === "suspended"
      ? `the machine was suspended for ${long}`
      : `the clock was set ${byMs < 0 ? "back" : "forward"} by ${long}`;
  return `${what}: no limit or wait counts it, times of the clock stay`;
}
