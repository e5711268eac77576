import { BUDGET_DEFAULTS, ceilingOf, SPENT_KINDS, type SpentKind } from "../../model/requests/budget.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { exceededText } from "./amount-text.ts";
import { LAST_WORDS_MS } from "../attempt/decide-attempt.ts";
import { budgetSpent, paceOf, purses, stepBudgetSpent, type Purse } from "./run-budget.ts";
import { hasLoopVerdict, pressKey } from "../../fold/attempt/live-wait.ts";
import { suspendAttempt } from "../attempt/quarantine.ts";
import { isPersonsWork } from "../requests/talk-to-agent.ts";

/** A budget of which one kind is spent while agents work under it. */
interface Overshot extends Purse {
  readonly kind: SpentKind;
  readonly ceiling: number;
  /** Since when it is known to be spent. */
  readonly since: number;
  readonly live: readonly AttemptState[];
}

/**
 * Brakes attempts whose budget is spent (B2). At 100 % the turn may still end, and what ends by itself is accepted. This
 * grace is over after `graceMs`, or when the overshoot reaches `gracePct` of the budget or the largest request so far,
 * whichever of these two is larger. An attempt with a loop verdict has no grace. All attempts under a budget brake
 * together; a step whose budget is spent leaves the others at work, and somebody is asked when they are done.
 */
export function brakeBudgets(state: RunState, now: number): RunEvent[] {
  for (const overshot of allOvershot(state, now)) {
    const events = brake(state, overshot, now);
    if (events.length > 0) return events;
  }
  return [];
}

function brake(state: RunState, overshot: Overshot, now: number): RunEvent[] {
  const { live, kind, spent, ceiling, step } = overshot;
  const isOver = now >= graceEndsAt(overshot) || spent[kind] - ceiling >= graceAmount(overshot);
  const braked = isOver ? live : live.filter(hasLoopVerdict);
  if (braked.length === 0) return [];
  const why = exceededText(kind, spent[kind], ceiling);
  const suspended = braked.map((attempt) => suspendAttempt(attempt, why));
  const isLeft = step === undefined ? braked.length < live.length : isOtherBusy(state, braked);
  if (state.status !== "running" || isLeft) return suspended;
  return [...blocked(state, overshot, now), ...suspended];
}

function blocked(state: RunState, { step, kind }: Overshot, now: number): RunEvent[] {
  if (step === undefined) return [budgetSpent(state, kind, now)];
  const of = state.steps[step];
  return of === undefined ? [] : [stepBudgetSpent(state, of, kind, now)];
}

const isOtherBusy = (state: RunState, braked: readonly AttemptState[]): boolean =>
  Object.keys(state.attempts).length > braked.length || Object.keys(state.checking).length > 0;

function allOvershot(state: RunState, now: number): Overshot[] {
  const live = Object.values(state.attempts).filter((attempt) => isAtWork(state, attempt));
  if (live.length === 0) return [];
  return purses(state, now).flatMap((purse) =>
    SPENT_KINDS.flatMap((kind): Overshot[] => {
      const { step, spent, budget } = purse;
      const ceiling = ceilingOf(budget, kind) ?? Infinity;
      const since = state.overAt[pressKey(kind, step)];
      const under = live.filter((attempt) => step === undefined || attempt.step === step);
      const isStopping = budget.onExceed !== "warn" && spent[kind] >= ceiling && since !== undefined;
      return isStopping && under.length > 0 ? [{ ...purse, kind, ceiling, since, live: under }] : [];
    }),
  );
}

/** What has come to its end by itself is accepted, and a person is not braked. */
const isAtWork = (state: RunState, attempt: AttemptState): boolean =>
  attempt.ending === null &&
  attempt.exit === null &&
  attempt.endedAt === null &&
  attempt.finding !== "gone" &&
  !isPersonsWork(state, attempt);

/** Time that passed while nobody listened gives the agent time to speak first. */
function graceEndsAt({ since, budget, live }: Overshot): number {
  const adopted = Math.max(...live.map(({ adoptedAt }) => adoptedAt ?? -Infinity));
  return Math.max(since + (budget.graceMs ?? BUDGET_DEFAULTS.graceMs), adopted + LAST_WORDS_MS);
}

const graceAmount = ({ ceiling, budget, live, kind }: Overshot): number =>
  Math.max(
    (ceiling * (budget.gracePct ?? BUDGET_DEFAULTS.gracePct)) / 100,
    ...live.map(({ largest }) => largest[kind]),
  );

/** When a grace will be over by time alone. */
export function brakeDueAt(state: RunState, now: number): number {
  const dues = allOvershot(state, now).map((overshot) => {
    const { kind, spent, ceiling, step } = overshot;
    const left = ceiling + graceAmount(overshot) - spent[kind];
    const pace = paceOf(state, now, step);
    const byAmount = kind === "timeMs" && pace > 0 ? now + Math.max(1, Math.ceil(left / pace)) : Infinity;
    return Math.min(graceEndsAt(overshot), byAmount);
  });
  return Math.min(Infinity, ...dues);
}
