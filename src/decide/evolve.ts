import { isApproval } from "../model/blocked.ts";
import type { EventData, EventType, RunEvent } from "../model/events.ts";
import type { GROUND_EVENTS } from "../model/ground-events.ts";
import { Fault, promise } from "../model/fault.ts";
import { principalNamed } from "../model/principal.ts";
import type { RunState, StepState } from "../model/run-state.ts";
import { evolveAlarm } from "./evolve-alarm.ts";
import { evolveClock } from "./evolve-clock.ts";
import { evolveAttempt } from "./evolve-attempt.ts";
import { movePots } from "./body-budget.ts";
import { evolveBody, forgetAllDoubts, noteDoubt } from "./evolve-body.ts";
import { evolveCheckpoint } from "./evolve-checkpoint.ts";
import { allMoved } from "./files-moved.ts";
import { evolveEffect } from "./evolve-effect.ts";
import { doubtActions, evolveGate } from "./evolve-gate.ts";
import { gatesAfterPerson } from "./gates.ts";
import { evolveGuard, guardsAfterPerson } from "./evolve-guard.ts";
import { evolveSeal, sealsAfterPerson } from "./evolve-seal.ts";
import { evolveCommit } from "./evolve-commit.ts";
import { evolveFlow } from "./evolve-flow.ts";
import { evolveProposal } from "./evolve-proposal.ts";
import { evolveStep } from "./evolve-step.ts";
import { evolveWorkspace, holdAnew, placeAfterPerson } from "./evolve-workspace.ts";
import { evolveGrounded, forgetHolds } from "./evolve-grounded.ts";
import { evolveEscalation } from "./evolve-escalation.ts";
import { evolveLimits } from "./evolve-limits.ts";
import { evolveLadder } from "./evolve-ladder.ts";
import { evolveTriage } from "./evolve-triage.ts";
import { listenAnew, notAssessed } from "./judge-health.ts";
import { END_TRIES } from "./new-attempt-state.ts";
import { newBodyRunState, newRunState } from "./new-run-state.ts";
import { doubtHooks, evolveHook, noteOccasions, passHooks } from "./judge-hooks.ts";
import { evolvePolicy, passPolicies } from "./judge-policies.ts";
import { getsOn } from "./judge-progress.ts";
import { evolveDeaths, forgetDeaths } from "./quarantine.ts";
import { moveClocks } from "./run-clock.ts";
import { isLiveWait } from "./suspend.ts";
import type { Place } from "./place.ts";

/** Changes of this fold that make older snapshots useless change this word. */
export const FOLD_VERSION = "80";
/** Of bounds that were reached, the last of each kind. */
const REACHED_KEPT = 5;

type Evolve = {
  readonly [Type in Exclude<EventType, "RunCreated" | "BodyCreated" | keyof typeof GROUND_EVENTS>]: (
    state: RunState,
    data: EventData<Type>,
    place: Place,
  ) => void;
};

type Change = (state: RunState, data: unknown, place: Place) => void;

const EVOLVE: Evolve = {
  ...evolveAlarm,
  ...evolveClock,
  ...evolveAttempt,
  ...evolveBody,
  ...evolveEffect,
  ...evolveEscalation,
  ...evolveLadder,
  ...evolveGate,
  ...evolveLimits,
  ...evolvePolicy,
  ...evolveHook,
  ...evolveGrounded,
  ...evolveTriage,
  ...evolveDeaths,
  ...evolveGuard,
  ...evolveSeal,
  ...evolveCheckpoint,
  ...evolveWorkspace,
  ...evolveProposal,
  ...evolveCommit,
  ...evolveStep,
  ...evolveFlow,
  RunClaimed(state, { epoch, host, missing = [], clock }, { at }) {
    state.clockRead = clock ?? null;
    state.epoch = epoch;
    state.claim = { ...state.claim, at, missing };
    state.host = host ?? null;
    holdAnew(state);
    doubtActions(state);
    doubtHooks(state);
    state.stale.activityAt = at;
    for (const attempt of Object.values(state.attempts)) {
      attempt.finding = null;
      attempt.watchedSince = at;
      attempt.adoptedAt = at;
      listenAnew(attempt.health, at);
    }
  },
  RunStarted(state) {
    state.status = "running";
  },
  RequestHeard(state, { requestId, request, by, principal = principalNamed(by) }) {
    state.requests.push({ id: requestId, request, by, principal });
  },
  RequestAnswered(state, { requestId }) {
    state.requests = state.requests.filter((open) => open.id !== requestId);
  },
  RunStopping(state, { to, stop }, { at }) {
    closeWaits(state, at);
    state.status = "pausing";
    state.stoppingTo = to;
    state.stop = stop;
    leaveBlock(state, at);
    allowMoreEnds(state);
  },
  RunPaused(state, { stop }, { at }) {
    state.stale.pausedAt = stop === "stale" ? at : null;
    state.status = "paused";
    state.stoppingTo = null;
    state.stop = stop;
    state.pausedInEpoch = state.epoch;
  },
  RunResumed(state, { after }, { at }) {
    state.stale = {
      activityAt: at,
      pausedAt: null,
      resumes: after === "stale" ? state.stale.resumes + 1 : 0,
    };
    state.status = "running";
    afterPerson(state);
    state.stop = null;
  },
  RunBlocked(state, { blocked }, { at }) {
    state.status = isApproval(blocked.reason) ? "awaiting_approval" : "blocked";
    state.blocked = blocked;
    state.blockedAt = at;
    // What is intended again is compared again.
    delete state.binding.untrusted;
    if (blocked.reason === "conflict_loop") state.conflict.pending = false;
    for (const attempt of Object.values(state.attempts))
      if (attempt.step === blocked.step) attempt.raised = null;
    noteDoubt(state, blocked);
  },
  RestoreWanted(state, { checkpoint, step = null, putBack }, { at }) {
    state.restoring = { checkpoint, kept: false, facts: null, step, ...(putBack ? { putBack } : {}) };
    state.keepFailures = 0;
    if (step !== null || putBack === true) return;
    closeWaits(state, at);
    leaveBlock(state, at);
    state.status = "paused";
    state.stop = "operator";
  },
  RunUnblocked(state, _data, { at }) {
    closeWaits(state, at);
    // A person has looked at it: the remedies begin anew.
    const step = state.blocked?.reason === "stuck" ? state.steps[state.blocked.step ?? ""] : undefined;
    if (step !== undefined) leaveLadder(state, step, at);
    state.claim = { ...state.claim, missing: [] };
    state.stale.activityAt = at;
    state.status = state.stoppingTo === null ? "running" : "pausing";
    afterPerson(state);
    forgetHolds(state, at);
    leaveBlock(state, at);
    allowMoreEnds(state);
  },
  RunCompleted(state, { result }) {
    state.status = "completed";
    state.result = result;
  },
  RunFailed(state, { failure, step, body }) {
    state.status = "failed";
    state.failure = failure;
    state.failedStep = step ?? null;
    if (state.body !== null && body !== undefined) state.body.failure = body;
  },
  RunCancelled(state, { stop }) {
    state.status = "cancelled";
    state.stoppingTo = null;
    state.stop = stop;
  },
  RunReopened(state) {
    state.status = "paused";
    state.stop = "operator";
    state.failure = null;
    state.failedStep = null;
    if (state.body !== null) Reflect.deleteProperty(state.body, "failure");
    state.blocked = null;
    holdAnew(state);
    state.releaseFailures = 0;
    forgetAllDoubts(state);
  },
  RunSalvaged() {
    // Told to people by the views; the block that comes with it is what counts.
  },
  LimitReached(state, data) {
    // For people alone: no decision depends on it.
    const known = (state.reached ?? []).filter(({ what }) => what !== data.what);
    state.reached = [...known, data].slice(-REACHED_KEPT);
  },
};

/** A map, and no object: the machine would expect the type it saw last, and be slow anew with every other. */
const CHANGE_BY_TYPE = new Map(Object.entries(EVOLVE) as [EventType, Change][]);

/** Somebody had a say, and may have changed files: what waits for them is looked at and tried anew. */
function afterPerson(state: RunState): void {
  guardsAfterPerson(state);
  sealsAfterPerson(state);
  gatesAfterPerson(state);
  placeAfterPerson(state);
  passPolicies(state);
  passHooks(state);
  getsOn(state);
  allMoved(state);
  state.keepFailures = 0;
}

function leaveLadder(state: RunState, step: StepState, at: number): void {
  step.ladder = null;
  step.remedies = {};
  for (const attempt of Object.values(state.attempts)) {
    if (attempt.step !== step.spec.name) continue;
    attempt.health.flag = null;
    attempt.health.level = { shown: 0, worseSince: null, betterSince: null, at };
    attempt.assessed = notAssessed(at);
  }
}

/** Time that an idle agent waited for somebody is counted against no limit. Before the status changes. */
function closeWaits(state: RunState, at: number): void {
  if (state.blocked === null) return;
  for (const attempt of Object.values(state.attempts))
    if (isLiveWait(state, attempt))
      attempt.waitedMs += Math.max(0, at - Math.max(state.blockedAt, attempt.startedAt));
}

function leaveBlock(state: RunState, at: number): void {
  if (state.blocked === null) return;
  for (const attempt of Object.values(state.attempts)) {
    attempt.asked = false;
    listenAnew(attempt.health, at);
  }
  state.blocked = null;
}

/** Somebody looked: a session that would not end may be tried again. */
function allowMoreEnds(state: RunState): void {
  for (const attempt of Object.values(state.attempts)) attempt.endTriesMax = attempt.endTries + END_TRIES;
}

/** Folds one event. The state is changed in place and belongs to the caller; null stands for a run not yet created. */
export function evolve(state: RunState | null, event: RunEvent, place: Place): RunState {
  if (event.type === "RunCreated") {
    promise(state === null, `the journal of ${place.run} creates the run twice`);
    return moved(newRunState(place.run, place.at, event.data), place);
  }
  if (event.type === "BodyCreated") {
    promise(state === null, `the journal of ${place.run} creates the run twice`);
    return moved(newBodyRunState(place.run, place.at, event.data), place);
  }
  if (state === null)
    throw new Fault(
      "journal_damaged",
      `the journal of ${place.run} begins with ${event.type}, not with RunCreated`,
    );
  const change = CHANGE_BY_TYPE.get(event.type);
  if (change === undefined)
    throw new Fault("journal_damaged", `the journal of ${place.run} holds ${event.type}, which is no run's`);
  forgetDeaths(state, event);
  change(state, event.data, place);
  if (state.body !== null) movePots(state.body.pots, event);
  else {
    moveClocks(state, event, place.at);
    noteOccasions(state, event);
  }
  return moved(state, place);
}

function moved(state: RunState, place: Place): RunState {
  state.seq = place.seq;
  state.at = place.at;
  return state;
}
