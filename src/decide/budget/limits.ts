import { AGENTS } from "../../model/agent/kinds/registry.ts";
import type { Blocked } from "../../model/requests/blocked.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { Failure } from "../../model/agent/failure.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { CONVERSATION_MISSING } from "../../model/agent/signals.ts";
import type { Assessed } from "../../model/agent/health.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";
import { accountHold, accountOfAgent, publishToResource } from "../resources/shared-resources.ts";
import { isExcused } from "../resources/decide-shared-resources.ts";
import { limitBefore } from "../health/limit-said.ts";
import { limitEndOf } from "../health/last-word-of.ts";

type Ended = EventData<"AttemptEnded">;

/**
 * What a provider did to an attempt costs its step none: limits, and failures of a provider known to be in trouble. Nor
 * does a conversation that could not be gone on with: the next attempt begins a new one.
 */
export const excused = (state: RunState, attempt: AttemptState, ended: Ended): Ended =>
  ended.charged && (isProvidersFault(state, attempt, ended) || hasLostConversation(state, attempt))
    ? { ...ended, charged: false }
    : ended;

const hasLostConversation = ({ steps }: RunState, { step, agent, lastError }: AttemptState): boolean =>
  lastError?.code === CONVERSATION_MISSING && steps[step]?.conversation?.agent === agent;

const isProvidersFault = (state: RunState, attempt: AttemptState, { failure }: Ended): boolean =>
  failure?.class === "rate_limited" || (failure?.class === "transient" && isExcused(state, attempt));

/** What cost nothing is waited for; how often in a row is counted instead. */
export const isWaitedFor = (attempt: AttemptState, { failure, charged }: Ended): boolean =>
  attempt.ending === "limited" ||
  failure?.class === "rate_limited" ||
  (failure?.class === "transient" && !charged);

/** A limit that names its end is waited out; any other is tried sooner each time it is met again (L5). */
export function limitWait(
  { settings }: RunState,
  { limitWaits }: StepState,
  attempt: AttemptState,
  { failure, now }: { readonly failure: Failure | undefined; readonly now: number },
): { readonly until: number; readonly text: string } {
  const said = limitBefore(attempt)?.text ?? "";
  const otherwise = attempt.lastError?.text ?? failure?.text ?? "a limit of the provider";
  return {
    until: limitEndOf(attempt) ?? now + Math.round(settings.health.limitWaitMs / (limitWaits + 1)),
    text: said === "" ? otherwise : said,
  };
}

/** A run that is not to go on by itself asks somebody, and names when the limit ends. */
export function askInstead(
  state: RunState,
  attempt: AttemptState,
  { until, text }: { readonly until: number; readonly text: string },
  attemptKept: boolean,
): RunEvent[] {
  if (state.settings.cooldown.resume || state.status !== "running") return [];
  const detail = `${text}; it should be over at ${isoTime(until)}, and this run does not go on by itself (cooldown.resume)`;
  const blocked: Blocked = { reason: "rate_limited", detail, step: attempt.step, attemptKept, guidance: [] };
  return [{ type: "RunBlocked", data: { blocked } }];
}

/** A limit is over for a live session only when it is for its account. */
export const staysLimited = (state: RunState, attempt: AttemptState, next: Assessed, now: number): boolean =>
  isPast(attempt, next) && accountHold(state, attempt, now) !== null;

/** Time has passed, and nothing was received meanwhile. */
const isPast = ({ assessed, health }: AttemptState, next: Assessed): boolean =>
  assessed.waitsFor === "limit" && next.waitsFor !== "limit" && health.limit !== null;

/**
 * What follows when a live session meets a limit, and when that is over. Others on its account are informed of the
 * first; the agent is informed of the second, once, where it can be. One that meets limits again and again is started
 * again.
 */
export function followLimit(state: RunState, attempt: AttemptState, next: Assessed): RunEvent[] {
  if (next.waitsFor === "limit" && attempt.assessed.waitsFor !== "limit")
    return meetLimit(state, attempt, next);
  return isPast(attempt, next) ? goOn(state, attempt) : [];
}

function meetLimit(state: RunState, attempt: AttemptState, { until }: Assessed): RunEvent[] {
  const account = accountOfAgent(state, attempt.agent);
  const text = attempt.health.limit?.text ?? "a limit of the provider";
  const named = attempt.health.limit?.until ?? null;
  const notified =
    account === null
      ? []
      : [
          publishToResource(state, account, {
            ...{ kind: "limited", attempt: attempt.id, text, until: named },
            ...(attempt.health.limit?.named === true ? { named: true } : {}),
          }),
        ];
  const nth = attempt.limitsPassed + 1;
  if (nth >= state.settings.cooldown.restartAfter) {
    const why = `it met a limit for the ${String(nth)}th time and is started again when it is over`;
    return [...notified, { type: "AttemptEnding", data: { attempt: attempt.id, to: "limited", why } }];
  }
  return [...notified, ...askInstead(state, attempt, { until: until ?? state.at, text }, true)];
}

function goOn(state: RunState, attempt: AttemptState): RunEvent[] {
  const { id, step, agent, session } = attempt;
  const spec = state.agents[agent];
  const passed: RunEvent = {
    type: "LimitPassed",
    data: { step, attempt: id, ground: accountOfAgent(state, agent) },
  };
  if (spec === undefined || AGENTS[spec.use].capabilities.steer !== "live") return [passed];
  const key = effectKey(id, "TellAgent", attempt.messages + 1);
  const text = "The limit of your provider is over. Go on with your task where you stopped.";
  const effect = { kind: "TellAgent", attempt: id, session, spec, step, text, remedy: true } as const;
  return [passed, { type: "EffectIntended", data: { key, effect } }];
}
