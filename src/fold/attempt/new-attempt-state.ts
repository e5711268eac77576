import { notAssessed } from "../health/restart-silence.ts";
import { newHealthState } from "../health/new-health-state.ts";
import { spendToday } from "../resource/spent-today.ts";
import type { UsageSignal } from "../../model/agent/signals.ts";
import {
  type AddedTokens,
  addUsage,
  type CountedState,
  nothingUsed,
  usedIn,
} from "../../model/agent/usage-count.ts";
import type { EventData } from "../../model/events/events.ts";
import { nothingSpent, type Spent, SPENT_KINDS } from "../../model/requests/budget.ts";
import { priceOf, usdOf } from "../../model/settings/prices.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";

/** So often a session is ended before a person is asked. */
export const END_TRIES = 2;

/** An attempt of which nothing but its start was decided yet. */
export const newAttemptState = (
  data: EventData<"AttemptStarted">,
  rung: AttemptState["rung"],
  at: number,
): AttemptState => ({
  id: data.attempt,
  step: data.step,
  number: data.number,
  agent: data.agent,
  session: data.session,
  startedAt: at,
  watchedSince: at,
  adoptedAt: null,
  phase: "booting",
  lastSignalAt: null,
  isReady: false,
  cursor: "",
  started: false,
  startFailure: null,
  sandbox: null,
  ending: null,
  endTries: 0,
  endTriesMax: END_TRIES,
  endedAt: null,
  endFailure: null,
  claim: null,
  lastSaid: "",
  exit: null,
  left: null,
  shown: [],
  shows: 0,
  lastError: null,
  raised: null,
  conversation: null,
  permissions: {},
  answers: 0,
  messages: 0,
  rung,
  waitedMs: 0,
  health: newHealthState(at),
  assessed: notAssessed(at),
  afresh: false,
  message: null,
  helps: data.helps ?? false,
  limitsPassed: 0,
  reserved: data.reserved ?? {},
  spent: nothingSpent(),
  counted: nothingCounted(),
  largest: nothingSpent(),
  turnAt: null,
  inTurn: false,
  activeAt: at,
  asked: false,
  finding: null,
});

const nothingCounted = (): CountedState => ({ pricedUsd: 0, unpricedTokens: 0, used: nothingUsed() });

/** What was used is the attempt's, its step's and the run's. */
export function spend(state: RunState, attempt: AttemptState, used: Partial<Spent>): void {
  const step = state.steps[attempt.step];
  spendToday(state, used);
  for (const of of [attempt.spent, state.spent, ...(step === undefined ? [] : [step.spent])])
    for (const kind of SPENT_KINDS) of[kind] += used[kind] ?? 0;
}

/**
 * All that an agent says and does before it receives something again is one answer of its model. Where its driver
 * counts the requests themselves, that count stands instead.
 */
export function takeTurn(state: RunState, attempt: AttemptState): void {
  if (!attempt.inTurn && !attempt.counted.used.countsRequests) spend(state, attempt, { turns: 1 });
  attempt.inTurn = true;
}

export function countUsage(state: RunState, attempt: AttemptState, signal: UsageSignal): void {
  const { used } = attempt.counted;
  const added = addUsage(used, signal);
  spend(state, attempt, { tokens: added.tokensIn + added.tokensOut });
  countMoney(state, attempt, { signal, added });
  // What was guessed before the first count is taken back with it.
  if (used.countsRequests) spend(state, attempt, { turns: usedIn(used).requests - attempt.spent.turns });
}

/** Money as the agent reports it, else by the price of its model; what has no price is kept count of. */
function countMoney(
  state: RunState,
  attempt: AttemptState,
  { signal, added }: { readonly signal: UsageSignal; readonly added: AddedTokens },
): void {
  const { pricedUsd, unpricedTokens, used } = attempt.counted;
  if (signal.usdTotal !== undefined) {
    spend(state, attempt, { usd: signal.usdTotal - attempt.spent.usd });
    // The agent's own count of its whole session is better than ours.
    return notePriced(state, attempt, { usd: -pricedUsd, tokens: -unpricedTokens });
  }
  if (signal.usd !== undefined) return spend(state, attempt, { usd: signal.usd });
  const price = priceOf(state.settings.prices, used.model ?? state.agents[attempt.agent]?.model);
  if (price === undefined)
    return notePriced(state, attempt, { usd: 0, tokens: added.tokensIn + added.tokensOut });
  const usd = usdOf(price, added);
  spend(state, attempt, { usd });
  notePriced(state, attempt, { usd, tokens: 0 });
}

function notePriced(
  state: RunState,
  attempt: AttemptState,
  by: { readonly usd: number; readonly tokens: number },
): void {
  for (const counted of [attempt.counted, state.counted]) {
    counted.pricedUsd += by.usd;
    counted.unpricedTokens += by.tokens;
  }
}
