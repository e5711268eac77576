import { limitAt } from "../../decide/attempt/live-attempt.ts";
import { waitsForEnd } from "../../decide/requests/decide-alarms.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isoTime } from "../../model/text/iso-time.ts";

/** What an agent at work may know of its task. */
export interface TaskView {
  readonly run: string;
  readonly goal: string;
  readonly step: string;
  readonly attempt: number;
  readonly task: string;
  readonly checks: readonly string[];
  readonly budgetLeft: BudgetLeft;
  /** What an agent last noted of where this step stands. */
  readonly noted: RunState["steps"][string]["checkpoint"];
  readonly alarms: readonly AlarmView[];
}

export interface BudgetLeft {
  readonly usd: number | "unlimited";
  readonly tokens: number | "unlimited";
  /** Of this attempt: when it is ended, and how long that is from now. */
  readonly timeMs: number;
  readonly until: string;
  /** Attempts of this step that may still fail, this one included. */
  readonly attempts: number;
  /** Times that its checks may still fail. */
  readonly checkTries: number;
}

export function taskView(state: RunState, id: string, now: number): TaskView {
  const attempt = state.attempts[id];
  const step = attempt === undefined ? undefined : state.steps[attempt.step];
  return {
    run: state.run,
    goal: state.goal,
    step: attempt?.step ?? "",
    attempt: attempt?.number ?? 0,
    task: step?.spec.task ?? "",
    checks: (step?.spec.checks ?? []).map(({ run }) => run),
    budgetLeft: budgetLeft(state, id, now),
    noted: step?.checkpoint ?? null,
    alarms: pendingAlarms(state).filter((alarm) => alarm.step === null || alarm.step === attempt?.step),
  };
}

function budgetLeft(state: RunState, id: string, now: number): BudgetLeft {
  const { budget, spent, settings } = state;
  const attempt = state.attempts[id];
  const step = attempt === undefined ? undefined : state.steps[attempt.step];
  const until = attempt === undefined ? now : limitAt(state, attempt);
  const cap = step?.spec.attemptsMax ?? settings.attempts.perStep;
  return {
    usd: left(budget.usd, spent.usd),
    tokens: left(budget.tokens, spent.tokens),
    timeMs: Math.max(0, until - now),
    until: isoTime(until),
    attempts: Math.max(0, cap - (step?.charged ?? 0)),
    checkTries: Math.max(0, settings.checks.tries - (step?.checkFails ?? 0)),
  };
}

const left = (ceiling: number | undefined, spent: number): number | "unlimited" =>
  ceiling === undefined ? "unlimited" : Math.max(0, ceiling - spent);

/** An alarm that is still to ring. */
export interface AlarmView {
  readonly id: string;
  readonly run: string;
  readonly at: string;
  readonly note: string;
  readonly by: string;
  /** Null where the one that is at work then is meant. */
  readonly step: string | null;
  /** Whether the run, which is paused, goes on then. */
  readonly wakes: boolean;
  /** Whether it waits for the agent at work to end, which cannot be determined before. */
  readonly afterAttempt: boolean;
}

/** What is still to ring, soonest first. */
export const pendingAlarms = (state: RunState): AlarmView[] =>
  Object.values(state.alarms)
    .sort((one, other) => one.dueAt - other.dueAt)
    .map((alarm) => ({
      id: alarm.id,
      run: state.run,
      at: isoTime(alarm.dueAt),
      note: alarm.note,
      by: alarm.by,
      step: alarm.step ?? null,
      wakes: alarm.wakes,
      afterAttempt: waitsForEnd(state, alarm),
    }));

export const alarmText = ({ id, at, note, by, afterAttempt }: AlarmView): string =>
  `${id} rings at ${at}${afterAttempt ? ", or once the agent at work has ended" : ""}: ${note} (set by ${by})`;
