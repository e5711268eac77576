import type { BlockedReason } from "../model/blocked.ts";
import { effectKey } from "../model/effects.ts";
import type { RunEvent } from "../model/events.ts";
import type { Failure } from "../model/failure.ts";
import type { AttemptState, RunState, StepState } from "../model/run-state.ts";
import { isEnded } from "../model/run-status.ts";
import { answerRequest } from "./answer-request.ts";
import { budgetSpent, spentKind } from "./run-budget.ts";
import { LAST_WORDS_MS, NOT_HEARD, TIMED_OUT, judgeEnd } from "./judge-attempt.ts";
import { judgeLadder, unansweredAt } from "./climb.ts";
import { holdOf } from "./grounds.ts";
import { endAttempt } from "./end-attempt.ts";
import { judgeGrounds } from "./judge-grounds.ts";
import { judgeHealth } from "./judge-health.ts";
import { dropChecks, judgeChecks } from "./judge-checks.ts";
import { alarmDueAt, dropAlarms, judgeAlarms } from "./judge-alarms.ts";
import { judgeEscalations } from "./judge-escalations.ts";
import { resumeStale, staleResumeAt } from "./judge-stale.ts";
import { dropSettled, isTellingDue, judgeNotices } from "./judge-notices.ts";
import { beforeEnd, beforeStart, judgeCheckpoints } from "./judge-checkpoints.ts";
import { baseFirst, judgeDrift } from "./judge-drift.ts";
import { guardTree, judgeGuards, mayStartIn } from "./judge-guard.ts";
import { owesCommit } from "./judge-commit.ts";
import { beforeWork, dropPreparing, judgeWorkspace } from "./judge-workspace.ts";
import { treeOf } from "./workspace-place.ts";
import { resultOf } from "./run-result.ts";
import { startAttempt } from "./start-attempt.ts";
import { answerPermission, isPersonsWork, keepUntold } from "./talk-to-agent.ts";
import { WAKING_STOPS } from "./state-table.ts";

/** What is looked at before the attempts and the steps, in this order. */
const JUDGES = [
  judgeLadder,
  judgeNotices,
  judgeWorkspace,
  judgeGrounds,
  judgeGuards,
  judgeDrift,
  judgeCheckpoints,
] as const;

/**
 * Judgement: what follows from the state at a given time. Level-triggered (I3): it looks at what is, not at what
 * has just happened, and may be asked at any moment. The caller folds the answer and asks again until it is empty.
 */
export function decide(state: RunState, now: number): RunEvent[] {
  // A body is judged by the program that holds it.
  if (state.body !== null) return [];
  // Before the next request: it must not find the question of a block that the last one settled.
  const asked = judgeEscalations(state, now);
  if (asked.length > 0) return asked;
  const request = state.requests[0];
  if (request !== undefined) return answerRequest(state, request);
  const untold = keepUntold(state);
  if (untold.length > 0) return untold;
  const rung = judgeAlarms(state, now);
  if (rung.length > 0) return rung;
  for (const judge of JUDGES) {
    const events = judge(state, now);
    if (events.length > 0) return events;
  }
  for (const attempt of Object.values(state.attempts)) {
    const events = judgeAttempt(state, attempt, now);
    if (events.length > 0) return events;
  }
  switch (state.status) {
    case "queued":
      return [{ type: "RunStarted", data: {} }];
    case "running":
      return workOn(state, now);
    case "pausing":
      return settleStop(state);
    case "paused":
      return wakesByItself(state) && state.epoch > state.pausedInEpoch
        ? [{ type: "RunResumed", data: {} }]
        : resumeStale(state, now);
    case "awaiting_approval":
    case "blocked":
    case "completed":
    case "failed":
    case "cancelled":
      return [];
  }
}

/** The part that somebody may decide who does not watch the run: answers, and a stop that waits for nothing. */
export function decideRequests(state: RunState, now: number): RunEvent[] {
  // Before the next request: it must not find the question of a block that the last one settled.
  const asked = judgeEscalations(state, now);
  if (asked.length > 0) return asked;
  const request = state.requests[0];
  if (request !== undefined) return answerRequest(state, request);
  const settled = [...dropSettled(state), ...dropAlarms(state)];
  if (settled.length > 0) return settled;
  return state.status === "pausing" ? settleStop(state) : [];
}

function workOn(state: RunState, now: number): RunEvent[] {
  const checked = judgeChecks(state, now);
  if (checked.length > 0) return checked;
  return startReadySteps(state, now) ?? settleRun(state, now);
}

function judgeAttempt(state: RunState, attempt: AttemptState, now: number): RunEvent[] {
  if (attempt.raised !== null && attempt.ending === null) return raise(state, attempt, now);
  const checked = (state.steps[attempt.step]?.spec.checks ?? []).length > 0;
  const judged = judgeEnd(attempt, now, checked);
  if (judged !== null) return endAttempt(state, attempt, judged, now);
  if (attempt.ending !== null) return intendEnd(state, attempt);
  const due = answerPermission(state, attempt) ?? beginEnding(state, attempt, now);
  return due.length > 0 ? due : judgeHealth(state, attempt, now);
}

/**
 * What an agent asks of people comes before how it ended. While the run waits for somebody else its word waits too;
 * on the way to a stop its work does not count, and the next attempt asks again.
 */
function raise(state: RunState, attempt: AttemptState, now: number): RunEvent[] {
  if (attempt.raised !== null && state.status === "running") return [raisedBlock(attempt, attempt.raised)];
  return state.stoppingTo === null ? [] : beginEnding(state, attempt, now);
}

/** The agent's session lives on while somebody is asked. */
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
  if (state.blocked === null && now >= limitAt(state, attempt))
    return ending("timed_out", "the attempt reached its time limit");
  if (attempt.started && attempt.heardAt === null && now >= firstOutputBy(state, attempt))
    return ending("stalled", "the agent gave no first output in time");
  return [];
}

/** A session is ended once it is known to have started; after a few tries a person is asked. */
function intendEnd(state: RunState, attempt: AttemptState): RunEvent[] {
  const key = effectKey(attempt.id, "EndAgent", attempt.endTries + 1);
  const spec = state.agents[attempt.agent];
  // Words under way do not hold it back: an agent that is deep in a turn may never hear them.
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
    graceMs: state.settings.startup.termGraceMs,
  } as const;
  return [{ type: "EffectIntended", data: { key, effect } }];
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

/** Starts what may start, up to the run's bound on live attempts; null when there is nothing to start now. */
function startReadySteps(state: RunState, now: number): RunEvent[] | null {
  let free = state.settings.attempts.atOnce - Object.keys(state.attempts).length;
  const events: RunEvent[] = [];
  for (const name in state.ready) {
    if (free <= 0) break;
    const step = state.steps[name];
    if (step === undefined || (step.notBefore ?? 0) > now || holdOf(state, step, now) !== null) continue;
    const spent = spentKind(state);
    if (spent !== null) return Object.keys(state.attempts).length > 0 ? [] : [budgetSpent(state, spent)];
    const place = treeOf(state);
    const first =
      beforeWork(state) ??
      baseFirst(state) ??
      (mayStartIn(state, place) ? beforeStart(state, step, now) : guardTree(state, place));
    if (first !== null) return events.length > 0 ? events : first;
    events.push(...startAttempt(state, step));
    free -= 1;
  }
  return events.length > 0 ? events : null;
}

/** With nothing live and nothing to start, the run is over or needs somebody. */
function settleRun(state: RunState, now: number): RunEvent[] {
  if (Object.keys(state.attempts).length > 0 || Object.keys(state.ready).length > 0) return [];
  if (Object.keys(state.checking).length > 0 || owesCommit(state)) return [];
  if (state.stepsLeft === 0)
    return beforeEnd(state, now) ?? [{ type: "RunCompleted", data: { result: resultOf(state) } }];
  const failed = Object.values(state.steps).find((step) => step.status === "failed");
  if (failed === undefined || failed.lastFailure === null) return [];
  const { class: kind } = failed.lastFailure;
  return [kind === "terminal" ? cannotDispatch(failed, failed.lastFailure) : exhausted(failed)];
}

const cannotDispatch = ({ spec, started, charged }: StepState, failure: Failure): RunEvent =>
  started > 0 && charged > 0
    ? { type: "RunFailed", data: { step: spec.name, failure } }
    : {
        type: "RunBlocked",
        data: {
          blocked: {
            reason: "dispatch_error",
            detail: `step "${spec.name}" could not be started: ${failure.text}`,
            step: spec.name,
            attemptKept: false,
            guidance: ["invalid_binding"],
          },
        },
      };

const exhausted = ({ spec, charged, checkFails, lastFailure }: StepState): RunEvent => {
  const checked = lastFailure?.class === "check_failed" || lastFailure?.class === "artifact_invalid";
  const what =
    lastFailure?.class === "artifact_invalid" ? "did not deliver its outputs" : "did not pass its checks";
  const times = checked ? `${what} ${String(checkFails)}` : `failed ${String(charged)}`;
  return {
    type: "RunBlocked",
    data: {
      blocked: {
        reason: reasonOf(lastFailure),
        detail: `step "${spec.name}" ${times} times; the last time: ${lastFailure?.text ?? "unknown"}`,
        step: spec.name,
        attemptKept: false,
        guidance: checked ? ["proof_not_strong_enough"] : [],
      },
    },
  };
};

const reasonOf = (failure: Failure | null): BlockedReason => {
  if (failure?.text === TIMED_OUT) return "timeout";
  if (failure?.text === NOT_HEARD) return "stuck";
  if (failure?.class === "rate_limited") return "rate_limited";
  return "retries_exhausted";
};

function settleStop(state: RunState): RunEvent[] {
  const checks = [...dropChecks(state), ...dropPreparing(state)];
  if (checks.length > 0) return checks;
  if (Object.keys(state.attempts).length > 0) return [];
  const stop = state.stop ?? "operator";
  return [
    state.stoppingTo === "cancelled"
      ? { type: "RunCancelled", data: { stop } }
      : { type: "RunPaused", data: { stop } },
  ];
}

/** A limit that passed while nobody watched gives the agent time to be heard first. */
export function limitAt(state: RunState, attempt: AttemptState): number {
  const limitMs = state.steps[attempt.step]?.spec.limitMs ?? state.settings.attempts.limitMs;
  return Math.max(
    attempt.startedAt + attempt.waitedMs + limitMs,
    (attempt.adoptedAt ?? -Infinity) + LAST_WORDS_MS,
  );
}

/** Silence counts only while somebody listens. */
export const firstOutputBy = (state: RunState, attempt: AttemptState): number =>
  attempt.watchedSince + state.settings.startup.firstOutputMs;

/** Stops that were not meant for the run end with the next owner (G2). */
export const wakesByItself = (state: RunState): boolean =>
  state.status === "paused" && state.stop !== null && WAKING_STOPS.includes(state.stop);

/** True when the owner may let go: nothing lives, nothing is open, and nothing is due. What is due later wakes it. */
export const isAtRest = (state: RunState, now: number): boolean =>
  (isEnded(state.status) ||
    state.status === "paused" ||
    state.status === "blocked" ||
    state.status === "awaiting_approval") &&
  Object.values(state.attempts).every((attempt) => isPersonsWork(state, attempt)) &&
  Object.keys(state.effects).length === 0 &&
  state.requests.length === 0 &&
  state.workspace.commit.wanted === null &&
  !isTellingDue(state, now) &&
  now < (unansweredAt(state) ?? Infinity) &&
  now < (staleResumeAt(state) ?? Infinity) &&
  now < alarmDueAt(state);
