import { ceilingOf, SPENT_KINDS, type Spent, type SpentKind } from "../../model/requests/budget.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { spentOfRun, spentOfStep } from "./run-budget.ts";

/**
 * Of what a run may use up, each attempt sets a part aside when it begins: total = free + reserved + spent. What it
 * uses beyond its part is taken from what is free, so attempts side by side never count on the same money.
 */
export interface RoomOfKind {
  readonly kind: SpentKind;
  readonly total: number;
  readonly spent: number;
  readonly reserved: number;
  /** Negative by what was spent beyond. */
  readonly free: number;
}

export function budgetRoom(state: RunState, now: number): RoomOfKind[] {
  const spent = spentOfRun(state, now);
  return SPENT_KINDS.flatMap((kind) => {
    const total = ceilingOf(state.budget, kind);
    if (total === undefined) return [];
    const reserved = reservedOf(state, kind);
    return [{ kind, total, spent: spent[kind], reserved, free: total - spent[kind] - reserved }];
  });
}

/** What attempts that live have set aside and not used yet. */
const reservedOf = (state: RunState, kind: SpentKind): number =>
  Object.values(state.attempts).reduce(
    (sum, { reserved, spent }) => sum + Math.max(0, (reserved[kind] ?? 0) - spent[kind]),
    0,
  );

/** What the next attempt of a step will need: what is left of its own budget, or what the dearest one has cost so far. */
function neededFor(state: RunState, step: StepState, { kind, free }: RoomOfKind, now: number): number {
  const own = ceilingOf(step.spec.budget, kind);
  if (own !== undefined && step.spec.budget?.onExceed !== "warn")
    return Math.max(0, own - spentOfStep(state, step, now)[kind]);
  if (state.dearest[kind] > 0) return state.dearest[kind];
  // Nothing is known yet: those that may begin now share what is free.
  return free / Math.max(1, state.settings.attempts.atOnce - Object.keys(state.attempts).length);
}

/** What an attempt of the step sets aside; null where others at work have to end first. */
export function reservationFor(state: RunState, step: StepState, now: number): Partial<Spent> | null {
  if (state.budget.onExceed === "warn") return {};
  const isAlone = Object.keys(state.attempts).length === 0;
  const reserved: Partial<Spent> = {};
  for (const room of budgetRoom(state, now)) {
    const needed = neededFor(state, step, room, now);
    if (!isAlone && (room.free <= 0 || needed > room.free)) return null;
    reserved[room.kind] = Math.max(0, Math.min(needed, room.free));
  }
  return reserved;
}
