import { durationText } from "../model/duration.ts";
import type { RunState } from "../model/run-state.ts";
import { isEnded } from "../model/run-status.ts";
import { costText } from "./cost-text.ts";
import { budgetRooms } from "../decide/budget-room.ts";
import { limitMsOf } from "../decide/live-attempt.ts";
import { amountText, spentOfText } from "../decide/amount-text.ts";
import { workedMs } from "../decide/run-budget.ts";
import { timeLimits } from "../decide/time-limits.ts";

/** A time limit of the run, of a phase or of an attempt. */
export interface LimitView {
  readonly of: string;
  readonly usedMs: number;
  readonly limitMs: number;
  readonly usedPct: number;
  /** So much is used that somebody should look (`time.warnPct`). */
  readonly pressed: boolean;
}

/** Every time limit that counts now; what waits for a person stands still (G10). */
export function limitViews(state: RunState, now: number): LimitView[] {
  if (state.body !== null || isEnded(state.status)) return [];
  const { warnPct } = state.settings.time;
  const view = (of: string, usedMs: number, limitMs: number): LimitView => {
    const usedPct = Math.floor((usedMs / limitMs) * 100);
    return { of, usedMs, limitMs, usedPct, pressed: usedPct >= warnPct };
  };
  return [
    ...timeLimits(state, now).map(({ phase, usedMs, limitMs }) =>
      view(phase === null ? "run" : `phase ${phase}`, usedMs, limitMs),
    ),
    ...Object.values(state.attempts).map((attempt) =>
      view(attempt.id, workedMs(state, attempt, now), limitMsOf(state, attempt)),
    ),
  ];
}

export const limitText = ({ of, usedMs, limitMs, usedPct }: LimitView): string =>
  `${of}: ${durationText(usedMs)} of ${durationText(limitMs)} (${String(usedPct)} %)`;

/** What is free, set aside and spent of every kind that is limited. */
export function budgetAmounts(state: RunState, now: number): Readonly<Record<string, unknown>> {
  const rooms = budgetRooms(state, now);
  const { counted } = state;
  if (state.body !== null || rooms.length === 0) return { counted };
  const parts = (part: "free" | "reserved") =>
    Object.fromEntries(rooms.map((room) => [room.kind, room[part]]));
  return { counted, reserved: parts("reserved"), free: parts("free") };
}

/** `$3.20 of $40.00 (and $0.40 reserved)`, of what is limited. */
export function budgetText(state: RunState, now: number): string | null {
  const told = budgetRooms(state, now).map(({ kind, total, spent, reserved }) => {
    const held = reserved === 0 ? "" : ` (and ${amountText(kind, reserved)} reserved)`;
    return `${spentOfText(kind, spent, total)}${held}`;
  });
  const parts = [told.join(", "), costText(state) ?? ""].filter((part) => part !== "");
  return state.body !== null || parts.length === 0 ? null : parts.join("; ");
}
