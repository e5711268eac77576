import { believeEnd } from "./success-rule.ts";
import { decideEnd, LAST_WORDS_MS } from "./decide-attempt.ts";
import { endAttempt } from "./end-attempt.ts";
import { suspendAttempt, whySuspend } from "./quarantine.ts";
import { decideHealth } from "../health/decide-health.ts";
import { answeredElsewhere, answerPermission } from "../requests/talk-to-agent.ts";
import { endGraceMs } from "../resources/store-hold.ts";
import { isLiveWait } from "../../fold/attempt/live-wait.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import type { DelayedEffect } from "../../model/host/host-fault.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";

/** What follows for an attempt that has begun: how it ended, what ends it, and how it fares. */
export function decideLiveAttempt(state: RunState, attempt: AttemptState, now: number): RunEvent[] {
  if (attempt.raised !== null && attempt.ending === null) return raise(state, attempt, now);
  const checked = (state.steps[attempt.step]?.spec.checks ?? []).length > 0;
  const use = state.agents[attempt.agent]?.use ?? "demo";
  const end = decideEnd(attempt, now, { checked, use });
  if (end !== null) {
    if (isBeingEnded(state, attempt)) return [];
    const believed = believeEnd(state, attempt, { ended: end, use, now });
    return "first" in believed ? believed.first : endAttempt(state, attempt, believed.ended, now);
  }
  if (attempt.ending !== null) return intendEnd(state, attempt);
  const answered = answeredElsewhere(state, attempt);
  if (answered.length > 0) return answered;
  const due = answerPermission(state, attempt) ?? beginEnding(state, attempt, now);
  return due.length > 0 ? due : decideHealth(state, attempt, now);
}

/**
 * The agent itself has gone, and what it has started is still being ended: the session is not over before that, or a
 * supervisor that then has nothing left to do would leave it behind (A5).
 */
const isBeingEnded = ({ effects }: RunState, { id, ending }: AttemptState): boolean =>
  ending !== null &&
  Object.values(effects).some(
    (effect) => effect.kind === "EndAgent" && effect.attempt === id && effect.review === undefined,
  );

/**
 * What an agent asks of people comes before how it ended. While the run waits for somebody else its word waits too;
 * on the way to a stop its work does not count, and the next attempt asks again.
 */
function raise(state: RunState, attempt: AttemptState, now: number): RunEvent[] {
  if (attempt.raised !== null && state.status === "running") return [raisedBlock(attempt, attempt.raised)];
  return beginEnding(state, attempt, now);
}

/** The agent's session stays alive for a while, so that a prompt answer reaches it. */
const raisedBlock = (
  attempt: AttemptState,
  { reason, text }: NonNullable<AttemptState["raised"]>,
): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: { reason, detail: text, step: attempt.step, attemptKept: attempt.exit === null, guidance: [] },
  },
});

/** Deadlines of an attempt; also what a stop of the run asks of it. */
function beginEnding(state: RunState, attempt: AttemptState, now: number): RunEvent[] {
  const ending = (to: NonNullable<AttemptState["ending"]>, why: string): RunEvent[] => [
    { type: "AttemptEnding", data: { attempt: attempt.id, to, why } },
  ];
  if (attempt.startFailure !== null)
    return ending("start_failed", "its start failed; nothing of it may be left");
  if (state.stoppingTo !== null) return ending(state.stoppingTo, "the run is stopping");
  const suspended = whySuspend(state, attempt, now);
  if (suspended !== null) return [suspendAttempt(attempt, suspended)];
  if (!isLiveWait(state, attempt) && now >= limitAt(state, attempt))
    return ending("timed_out", "the attempt reached its time limit");
  if (attempt.started && attempt.lastSignalAt === null && now >= firstOutputBy(state, attempt))
    return ending("stalled", "the agent gave no first output in time");
  return [];
}

/** A session is ended once it is known to have started; after a few tries a person is asked. */
function intendEnd(state: RunState, attempt: AttemptState): RunEvent[] {
  const start = startToGiveUp(state, attempt);
  if (start !== null) return [start];
  const key = effectKey(attempt.id, "EndAgent", attempt.endTries + 1);
  const spec = state.agents[attempt.agent];
  // Words under way do not hold it back: an agent that is deep in a turn may never receive them.
  const pending = Object.values(state.effects).some(
    (effect) => (effect.kind === "StartAgent" || effect.kind === "EndAgent") && effect.attempt === attempt.id,
  );
  const mayLive = attempt.started || attempt.startFailure !== null;
  if (!mayLive || pending || attempt.endedAt !== null || spec === undefined) return [];
  if (attempt.endTries >= attempt.endTriesMax) return blockOnce(state, attempt);
  const effect = {
    kind: "EndAgent",
    attempt: attempt.id,
    session: attempt.session,
    spec,
    graceMs: endGraceMs(state),
  } as const;
  return [{ type: "EffectIntended", data: { key, effect } }];
}

/**
 * A start that a former owner left open is not carried out for an attempt that is to end: a stop starts no agent. It
 * may have begun all the same, so the session is ended like one that has.
 */
function startToGiveUp(state: RunState, { id, adoptedAt }: AttemptState): RunEvent | null {
  const key = effectKey(id, "StartAgent");
  if (adoptedAt === null || !Object.hasOwn(state.effects, key)) return null;
  const outcome = { kind: "failed", text: "not started: it is to end", terminal: false } as const;
  return { type: "EffectSettled", data: { key, outcome } };
}

function blockOnce(state: RunState, attempt: AttemptState): RunEvent[] {
  // An approval that is waited for stays: the session is tried again once it is given.
  if (state.blocked !== null) return [];
  const detail = `the session of ${attempt.id} could not be ended: ${attempt.endFailure ?? "no answer"}`;
  return [
    {
      type: "RunBlocked",
      data: { blocked: { reason: "unknown", detail, step: attempt.step, attemptKept: true, guidance: [] } },
    },
  ];
}

export const limitMsOf = (state: RunState, { step }: AttemptState): number =>
  state.steps[step]?.spec.limitMs ?? state.settings.attempts.limitMs;

/** A limit that passed while nobody watched gives the agent time to speak first. */
export function limitAt(state: RunState, attempt: AttemptState): number {
  if (isStartDelayed(state, attempt)) return Infinity;
  return Math.max(
    attempt.startedAt + attempt.waitedMs + limitMsOf(state, attempt),
    (attempt.adoptedAt ?? -Infinity) + LAST_WORDS_MS,
  );
}

/** Silence counts only while somebody listens. */
export const firstOutputBy = (state: RunState, attempt: AttemptState): number =>
  mayPrintAtItsEnd(state.agents[attempt.agent])
    ? Infinity
    : attempt.watchedSince + state.settings.startup.firstOutputMs;

/** A program of one's own that prints text may print nothing until it is done. */
const mayPrintAtItsEnd = (spec: AgentSpec | undefined): boolean =>
  spec?.use === "command" && spec.signals === undefined;

/** Whether the host keeps the agent of an attempt from being started: then its time does not run. */
const isStartDelayed = ({ delayed }: RunState, { id }: AttemptState): boolean =>
  delayed?.[effectKey(id, "StartAgent")] !== undefined;

export const delayedEffects = ({ delayed }: RunState): DelayedEffect[] => Object.values(delayed ?? {});
