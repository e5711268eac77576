import { RETRY_CLASSES } from "../../src/decide/attempt/retry-class.ts";
import type { EventData } from "../../src/model/events/events.ts";
import type { Failure, FailureClass } from "../../src/model/agent/failure.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { stepOfAttempt, type Moment, type Say, type Watcher } from "../world/replay.ts";
import { PROVIDER_ERRORS } from "../agents/sim-agent-script.ts";

/** What cannot pass is not tried again without a person, nor what failed in the same way again. */
export function stoppedStays(): Watcher {
  const stopped = new Map<string, string>();
  const last = new Map<string, { readonly failure: Failure; readonly times: number }>();
  const failed = (step: string, failure: Failure, { settings }: RunState): void => {
    const before = last.get(step);
    const times = before?.failure.fingerprint === failure.fingerprint ? before.times + 1 : 1;
    last.set(step, { failure, times });
    const { stopsWhenRepeated } = RETRY_CLASSES[failure.class];
    if (failure.class === "terminal") stopped.set(step, "a failure that cannot pass");
    else if (stopsWhenRepeated && times >= settings.attempts.sameFailure)
      stopped.set(step, `the same failure ${String(times)} times`);
  };
  return {
    see({ event, state }, say) {
      const { type, data, seq } = event;
      if (type === "StepReset") {
        stopped.delete(data.step);
        last.delete(data.step);
      }
      if (type === "AttemptEnded") {
        const step = stepOfAttempt(data.attempt);
        if (data.failure !== undefined) failed(step, data.failure, state);
        else if (data.outcome === "succeeded") last.delete(step);
      }
      if (type === "AttemptStarted" && stopped.has(data.step))
        say(`${data.attempt} began at ${String(seq)} after ${String(stopped.get(data.step))}`);
    },
  };
}

const CLASSES: ReadonlyMap<string, FailureClass> = new Map(
  PROVIDER_ERRORS.map(([{ text }, kind]) => [text, kind]),
);

/** What a provider says by status or code is taken for what it is. */
export function classesFit(): Watcher {
  const said = new Map<string, FailureClass>();
  return {
    see({ event }, say) {
      const { type, data } = event;
      if (type === "SignalsHeard")
        for (const signal of data.signals) {
          const kind = signal.kind === "error" ? CLASSES.get(signal.text) : undefined;
          if (kind !== undefined) said.set(data.attempt, kind);
        }
      if (type !== "AttemptEnded" || data.outcome !== "crashed") return;
      const kind = said.get(data.attempt);
      if (kind !== undefined && data.failure?.class !== kind)
        say(`${data.attempt} is taken for ${String(data.failure?.class)} and is ${kind}`);
    },
  };
}

/** Nothing is begun with the budget spent: counted here from what agents were heard to use. */
export function budgetKept(): Watcher {
  const spent = { usd: 0, tokens: 0 };
  let budget: EventData<"RunCreated">["budget"] = {};
  return {
    see({ event }, say) {
      const { type, data, seq } = event;
      if (type === "RunCreated" || type === "RunBudgetSet") budget = data.budget;
      if (type === "SignalsHeard")
        for (const signal of data.signals) {
          if (signal.kind !== "usage") continue;
          spent.usd += signal.usd ?? 0;
          spent.tokens += (signal.tokensIn ?? 0) + (signal.tokensOut ?? 0);
        }
      if (type !== "AttemptStarted" || budget.onExceed === "warn") return;
      if (spent.usd >= (budget.usd ?? Infinity) || spent.tokens >= (budget.tokens ?? Infinity))
        say(`${data.attempt} began at ${String(seq)} with the budget spent`);
    },
  };
}

const ASKS: ReadonlySet<string> = new Set(["blocked", "permission", "question"]);

/**
 * Waiting for a person is counted against no attempt's time limit. Whoever did not ask may end its turn meanwhile: it
 * works, and its limit holds.
 */
export function waitingIsFree(): Watcher {
  const live = new Map<string, { at: number; waitedMs: number }>();
  const asking = new Set<string>();
  let since: number | null = null;
  const limitOf = (state: RunState, attempt: string): number =>
    state.steps[stepOfAttempt(attempt)]?.spec.limitMs ?? state.settings.attempts.limitMs;
  const ending = ({ event, state }: Moment, attempt: string, say: Say): void => {
    const { at = event.at, waitedMs = 0 } = live.get(attempt) ?? {};
    const endsTurn = !asking.has(attempt) && event.at - (since ?? 0) < state.settings.suspend.turnMs;
    if (since !== null && !endsTurn)
      say(`${attempt} timed out at ${String(event.seq)} while a person was waited for`);
    if (event.at - at - waitedMs < limitOf(state, attempt))
      say(`${attempt} timed out at ${String(event.seq)} before its time`);
  };
  return {
    see(moment, say) {
      const { type, data, at } = moment.event;
      if (type === "ClockJumped") {
        for (const attempt of live.values()) attempt.at += data.byMs;
        if (since !== null) since += data.byMs;
      }
      if (type === "AttemptStarted") live.set(data.attempt, { at, waitedMs: 0 });
      if (type === "AttemptEnded") live.delete(data.attempt);
      if (type === "SignalsHeard" && data.signals.some(({ kind }) => ASKS.has(kind)))
        asking.add(data.attempt);
      if (type === "RunBlocked") since ??= at;
      if (moment.state.blocked === null && since !== null) {
        // Who did not ask worked on to the end of its turn, and that counts.
        for (const [id, attempt] of live)
          if (asking.has(id)) attempt.waitedMs += Math.max(0, at - Math.max(since, attempt.at));
        since = null;
      }
      if (type === "RunUnblocked") asking.clear();
      if (type === "AttemptEnding" && data.to === "timed_out") ending(moment, data.attempt, say);
    },
  };
}
