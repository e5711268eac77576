import type { ClockJump } from "../../model/host/clock.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { durationText } from "../../model/text/duration.ts";

/** What happened to the clock, and what that means. */
export function jumpText({ byMs, cause }: ClockJump): string {
  const long = durationText(Math.round(Math.abs(byMs) / 1_000) * 1_000);
  const what = {
    suspended: `the machine was suspended for ${long}`,
    frozen: `agents were frozen for ${long}, since nobody could supervise them`,
    set: `the clock was set ${byMs < 0 ? "back" : "forward"} by ${long}`,
  }[cause];
  return `${what}: no limit or wait counts it, times of the clock stay`;
}

/** For people who wonder about times that do not fit. */
export function clockView({ clockJumped }: RunState): {
  clock?: { at: string; byMs: number; cause: string; text: string };
} {
  if (clockJumped === null) return {};
  const { at, byMs, cause } = clockJumped;
  return { clock: { at: isoTime(at), byMs, cause, text: jumpText(clockJumped) } };
}
