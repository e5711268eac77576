import { durationText } from "../../model/text/duration.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import type { TreeNode } from "../runs/program-tree.ts";
import { costText } from "../text/cost-text.ts";
import { budgetRoom } from "../../decide/budget/budget-room.ts";
import { limitMsOf } from "../../decide/attempt/live-attempt.ts";
import { amountText, spentOfText } from "../../decide/budget/amount-text.ts";
import { workedMs } from "../../fold/attempt/live-wait.ts";
import { timeLimits } from "../../decide/budget/time-limits.ts";

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
  if (state.kind === "program" || isEnded(state.status)) return [];
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
  const ports = budgetRoom(state, now);
  const { counted } = state;
  if (state.kind === "program" || ports.length === 0) return { counted };
  const parts = (part: "free" | "reserved") =>
    Object.fromEntries(ports.map((room) => [room.kind, room[part]]));
  return { counted, reserved: parts("reserved"), free: parts("free") };
}

/** `$3.20 of $40.00 (and $0.40 reserved)`, of what is limited. */
export function budgetText(state: RunState, now: number): string | null {
  const notified = budgetRoom(state, now).map(({ kind, total, spent, reserved }) => {
    const held = reserved === 0 ? "" : ` (and ${amountText(kind, reserved)} reserved)`;
    return `${spentOfText(kind, spent, total)}${held}`;
  });
  const parts = [notified.join(", "), costText(state) ?? ""].filter((part) => part !== "");
  return state.kind === "program" || parts.length === 0 ? null : parts.join("; ");
}

/** Of a program, only what is limited: `$3.20 of $40.00 (and $0.40 reserved)`. */
export function treeBudgetText(budget: TreeNode["budget"]): string | null {
  const notified = Object.entries(budget?.total ?? {}).map(([kind, total]) => {
    const amount = (value = 0): string => (isCounted(kind) ? amountText(kind, value) : String(value));
    const { spent, reserved } = budget ?? {};
    const [used, held] = [(spent ?? {})[kind as "usd"], (reserved ?? {})[kind as "usd"]];
    const unit = kind === "usd" || kind === "timeMs" ? "" : ` ${kind}`;
    return `${amount(used)} of ${amount(total)}${unit}${held === undefined || held === 0 ? "" : ` (and ${amount(held)} reserved)`}`;
  });
  return notified.length === 0 ? null : notified.join(", ");
}

const isCounted = (kind: string): kind is "usd" | "tokens" | "timeMs" | "turns" =>
  ["usd", "tokens", "timeMs", "turns"].includes(kind);
