import type { GoalRun } from "../../model/continuous/continuous-state.ts";
import {
  type Spending,
  SPENDING_KINDS,
  type SpendingKind,
  type SpentAmounts,
} from "../../model/continuous/continuous-spec.ts";
import { dayEndsAt, dayOf } from "../../model/text/utc-day.ts";
import { isEnded } from "../../model/state/run-status.ts";
import type { ChildGoal, ChildScope } from "./child-scope.ts";
import { followedRuns, issuedGoals, queuedCount, takesPlace } from "./goal-runs.ts";

/** What of the session's budget is spent, and whether that is so for good. */
export interface SpentBudget {
  readonly kind: SpendingKind | "runs";
  readonly scope: "total" | "day";
  readonly spent: number;
  readonly of: number;
}

/** All that a session has spent, and what of it today (UTC), by everything that its runs report. */
export function sessionSpent(
  state: ChildScope,
  now: number,
  day = dayOf(now),
): Record<"total" | "day", SpentAmounts> {
  const total = { usd: 0, tokens: 0, timeMs: 0 };
  const today = { usd: 0, tokens: 0, timeMs: state.today.day === day ? state.today.timeMs : 0 };
  for (const { spent, days } of allRuns(state)) {
    for (const kind of SPENDING_KINDS) total[kind] += spent[kind];
    for (const used of days) {
      if (used.day !== day) continue;
      today.usd += used.usd;
      today.tokens += used.tokens;
    }
  }
  return { total, day: today };
}

/** The first part of the budget of which nothing is left; null while there is some of each. */
export function spentBudget(state: ChildScope, now: number): SpentBudget | null {
  const limits = state.spec?.budget ?? {};
  const spent = sessionSpent(state, now);
  const runs = { total: state.runs, day: state.today.day === dayOf(now) ? state.today.runs : 0 };
  for (const scope of ["total", "day"] as const) {
    const of = scope === "total" ? limits : limits.day;
    const used = { ...spent[scope], runs: runs[scope] };
    for (const kind of [...SPENDING_KINDS, "runs"] as const) {
      const limit = of?.[kind];
      if (limit !== undefined && used[kind] >= limit) return { kind, scope, spent: used[kind], of: limit };
    }
  }
  return null;
}

/** When a budget of the day that is spent allows more. */
export const nextDayAt = (now: number): number => dayEndsAt(now);

/**
 * What of each limited kind nobody has spent or been promised. A run keeps what it was allowed until it ends, so that
 * all of them together cannot overshoot by more than the grace of each.
 */
export function freeRoom(state: ChildScope, now: number): Spending {
  const limits = state.spec?.budget ?? {};
  const spent = sessionSpent(state, now);
  const free: { -readonly [Kind in SpendingKind]?: number } = {};
  for (const kind of SPENDING_KINDS) {
    const lefts = [
      (limits[kind] ?? Infinity) - spent.total[kind],
      (limits.day?.[kind] ?? Infinity) - spent.day[kind],
    ];
    const left = Math.min(...lefts) - reserved(state, kind);
    if (left !== Infinity) free[kind] = left;
  }
  return free;
}

const reserved = (state: ChildScope, kind: SpendingKind): number =>
  followedRuns(state).reduce((sum, { run }) => sum + restOf(run, kind), 0);

/** One that was given up before it was ever seen is not made any more. */
const restOf = ({ allowance, spent, status, asked }: GoalRun, kind: SpendingKind): number =>
  (status === null ? asked?.what === "cancel" : isEnded(status))
    ? 0
    : Math.max(0, (allowance[kind] ?? 0) - spent[kind]);

/**
 * What the next run of a goal may spend: its part of what is free, and no more than the goal's own budget. Null while
 * everything that is left is promised to others.
 */
export const allowanceFor = (state: ChildScope, goal: ChildGoal, now: number): Spending | null =>
  shareOf(freeRoom(state, now), partsWanted(state, queuedCount(state)), goal.goal.budget);

/** In so many parts what is free is divided: a place that nobody wants needs none. */
export function partsWanted(state: ChildScope, wanted: number): number {
  const taken = issuedGoals(state).filter(({ run }) => takesPlace(run)).length;
  return Math.max(1, Math.min((state.spec?.concurrency ?? 1) - taken, wanted));
}

/** One part of `parts` of what is free, under a goal's own budget. */
export function shareOf(free: Spending, parts: number, own: Spending = {}): Spending | null {
  const share: { -readonly [Kind in SpendingKind]?: number } = {};
  for (const kind of SPENDING_KINDS) {
    const room = free[kind];
    if (room === undefined && own[kind] === undefined) continue;
    if (room !== undefined && room <= 0) return null;
    const part = (room ?? Infinity) / parts;
    const amount = Math.min(kind === "usd" ? part : Math.max(1, Math.floor(part)), own[kind] ?? Infinity);
    share[kind] = amount;
  }
  return share;
}

const allRuns = (state: ChildScope): GoalRun[] => Object.values(state.goals).flatMap(({ runs }) => [...runs]);
