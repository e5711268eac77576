import { pressKey, workedMs } from "../../fold/attempt/live-wait.ts";
import {
  type AgentBudget,
  BUDGET_DEFAULTS,
  ceilingOf,
  type Spent,
  SPENT_KINDS,
  type SpentKind,
} from "../../model/requests/budget.ts";
import { durationText } from "../../model/text/duration.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { exceededText } from "./amount-text.ts";
import { acceptUncounted } from "./uncounted-money.ts";

/** What the run has spent by now; attempts that live have their time behind them too. */
export function spentOfRun(state: RunState, now: number): Spent {
  const live = Object.values(state.attempts).reduce((sum, one) => sum + workedMs(state, one, now), 0);
  return { ...state.spent, timeMs: state.spent.timeMs + live };
}

export function spentOfStep(state: RunState, step: StepState, now: number): Spent {
  const live = step.live === null ? undefined : state.attempts[step.live];
  const timeMs = step.spent.timeMs + (live === undefined ? 0 : workedMs(state, live, now));
  return { ...step.spent, timeMs };
}

const firstSpent = (spent: Spent, budget: AgentBudget | undefined): SpentKind | null =>
  budget?.onExceed === "warn"
    ? null
    : (SPENT_KINDS.find((kind) => spent[kind] >= (ceilingOf(budget, kind) ?? Infinity)) ?? null);

/** The kind of which nothing is left under a budget; the attempt that used it up is accepted all the same (G9). */
export const spentKind = (state: RunState, under: AgentBudget = state.budget): SpentKind | null =>
  firstSpent(spentOfRun(state, state.at), under);

/** The same of a step's own budget. */
export const stepSpentKind = (
  state: RunState,
  step: StepState,
  under: AgentBudget | undefined = step.spec.budget,
): SpentKind | null => firstSpent(spentOfStep(state, step, state.at), under);

/** How the kind is called in `set`. */
const keyText = (kind: SpentKind): string => (kind === "timeMs" ? "time" : kind);

const exhausted = (detail: string, step?: string): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "budget_exhausted",
      detail,
      attemptKept: false,
      guidance: [],
      ...(step === undefined ? {} : { step }),
    },
  },
});

export const budgetSpent = (state: RunState, kind: SpentKind, now = state.at): RunEvent =>
  exhausted(spentText(spentOfRun(state, now), state.budget, kind));

export const stepBudgetSpent = (
  state: RunState,
  step: StepState,
  kind: SpentKind,
  now = state.at,
): RunEvent =>
  exhausted(
    `step "${step.spec.name}": ${spentText(spentOfStep(state, step, now), step.spec.budget, kind)}`,
    step.spec.name,
  );

const spentText = (spent: Spent, budget: AgentBudget | undefined, kind: SpentKind): string =>
  exceededText(kind, spent[kind], ceilingOf(budget, kind) ?? 0);

/** What would let the run work about as long again: all that is spent, or one would be refused for the other's sake. */
export function enoughBudget(state: RunState, step?: string): string[] {
  const of = step === undefined ? undefined : state.steps[step];
  const own = of === undefined ? [] : enough(spentOfStep(state, of, state.at), of.spec.budget);
  return [
    ...enough(spentOfRun(state, state.at), state.budget).map((word) => `budget.${word}`),
    ...own.map((word) => `step.${step ?? ""}.budget.${word}`),
    ...acceptUncounted(state),
  ];
}

const enough = (spent: Spent, budget: AgentBudget | undefined): string[] =>
  SPENT_KINDS.filter((kind) => spent[kind] >= (ceilingOf(budget, kind) ?? Infinity)).map((kind) => {
    const twice = Math.max(spent[kind], ceilingOf(budget, kind) ?? 0) * 2;
    return `${keyText(kind)}=${kind === "timeMs" ? durationText(twice) : roundedUp(kind, twice)}`;
  });

/** Whole dollars, and cents below one. */
const roundedUp = (kind: SpentKind, amount: number): string =>
  kind === "usd" && amount < 1 ? String(Math.ceil(amount * 100) / 100) : String(Math.ceil(amount));

/** A budget and what is spent of it. */
export interface Purse {
  /** Absent for the run's own. */
  readonly step?: string;
  readonly spent: Spent;
  readonly budget: AgentBudget;
}

const hasCeiling = (budget: AgentBudget): boolean =>
  SPENT_KINDS.some((kind) => ceilingOf(budget, kind) !== undefined);

/** Budgets whose state may have changed: the run's, and those of steps that are at work. */
export function purses(state: RunState, now: number): Purse[] {
  const found: Purse[] = hasCeiling(state.budget)
    ? [{ spent: spentOfRun(state, now), budget: state.budget }]
    : [];
  for (const { step } of Object.values(state.attempts)) {
    const of = state.steps[step];
    if (of?.spec.budget !== undefined)
      found.push({ step, spent: spentOfStep(state, of, now), budget: of.spec.budget });
  }
  return found;
}

/** Says once that a budget is nearly spent, and once that it is: nothing is overdrawn in silence. */
export function decideBudgets(state: RunState, now: number): RunEvent[] {
  const attempts = Object.keys(state.attempts);
  if (state.status !== "running" && attempts.length === 0) return [];
  return purses(state, now).flatMap(({ step, spent, budget }) =>
    SPENT_KINDS.flatMap((kind): RunEvent[] => {
      const ceiling = ceilingOf(budget, kind);
      if (ceiling === undefined) return [];
      const pressed = state.pressed[pressKey(kind, step)];
      const level = levelOf(spent[kind], ceiling, budget);
      if (level === null || pressed === level || pressed === "spent") return [];
      const onExceed = budget.onExceed ?? "stop";
      const of = step === undefined ? {} : { step };
      const data = { ...of, kind, level, spent: spent[kind], ceiling, onExceed, attempts };
      return [{ type: "BudgetPressed", data }];
    }),
  );
}

const nearAt = (ceiling: number, budget: AgentBudget): number =>
  (ceiling * (budget.warnPct ?? BUDGET_DEFAULTS.warnPct)) / 100;

function levelOf(spent: number, ceiling: number, budget: AgentBudget): "near" | "spent" | null {
  if (spent >= ceiling) return "spent";
  return spent >= nearAt(ceiling, budget) ? "near" : null;
}

/** How many attempts use up time now: those that wait for somebody do not. */
export const paceOf = (state: RunState, now: number, step?: string): number =>
  Object.values(state.attempts).filter(
    (attempt) =>
      (step === undefined || attempt.step === step) &&
      workedMs(state, attempt, now + 1) > workedMs(state, attempt, now),
  ).length;

/** When a budget of time will be nearly or wholly spent by those at work. */
export function budgetDueAt(state: RunState, now: number): number {
  if (Object.keys(state.attempts).length === 0) return Infinity;
  const dues = purses(state, now).flatMap(({ step, spent, budget }): number[] => {
    const pressed = state.pressed[pressKey("timeMs", step)];
    if (budget.timeMs === undefined || pressed === "spent") return [];
    const level = pressed === "near" ? budget.timeMs : nearAt(budget.timeMs, budget);
    const pace = paceOf(state, now, step);
    if (pace === 0) return [];
    return [now + Math.max(1, Math.ceil((level - spent.timeMs) / pace))];
  });
  return Math.min(Infinity, ...dues);
}
