import { isApproval } from "../model/requests/blocked.ts";
import type { EventData, EventType, RunEvent } from "../model/events/events.ts";
import { Fault, invariant } from "../model/fault.ts";
import type { CONTINUOUS_EVENTS } from "../model/continuous/continuous-events.ts";
import type { MISSION_EVENTS } from "../model/mission/mission-events.ts";
import type { SHARED_RESOURCE_EVENTS } from "../model/events/shared-resource-events.ts";
import { principalNamed } from "../model/requests/principal.ts";
import type { RunState, StepState } from "../model/state/run-state.ts";
import { evolveAttempt } from "./attempt/evolve-attempt.ts";
import { isLiveWait } from "./attempt/live-wait.ts";
import { END_TRIES } from "./attempt/new-attempt-state.ts";
import { evolveEffect } from "./effect/evolve-effect.ts";
import { doubtActions, evolveGate } from "./gate/evolve-gate.ts";
import { evolveGuard } from "./gate/evolve-guard.ts";
import { doubtHooks, evolveHook, noteOccasions } from "./gate/evolve-hook.ts";
import { evolvePolicy } from "./gate/evolve-policy.ts";
import { evolveSeal } from "./gate/evolve-seal.ts";
import { evolveLadder } from "./health/evolve-ladder.ts";
import { evolveTriage } from "./health/evolve-triage.ts";
import { restartSilence, notAssessed } from "./health/restart-silence.ts";
import { newProgramRun, newRunState } from "./new-run-state.ts";
import type { Place } from "./place.ts";
import { evolveProgram, forgetAllDoubts, noteDoubt } from "./program/evolve-program.ts";
import { moveBudgetScopes } from "./program/move-budget-scopes.ts";
import { evolveGrounded, forgetHolds } from "./resource/evolve-shared-resources.ts";
import { evolveLimits } from "./resource/evolve-limits.ts";
import { changeClaim, moveRun } from "./run/move-run.ts";
import { evolveAlarm } from "./run/evolve-alarm.ts";
import { evolveClock } from "./run/evolve-clock.ts";
import { evolveDeaths, forgetDeaths } from "./run/evolve-deaths.ts";
import { evolveEscalation } from "./run/evolve-escalation.ts";
import { moveClocks } from "./run/run-clock.ts";
import { evolveFlow } from "./step/evolve-flow.ts";
import { evolveProposal } from "./step/evolve-proposal.ts";
import { evolveStep } from "./step/evolve-step.ts";
import { evolveCheckpoint } from "./workspace/evolve-checkpoint.ts";
import { evolveCommit } from "./workspace/evolve-commit.ts";
import { evolveUpload, fetchAgain } from "./workspace/evolve-upload.ts";
import { evolveWorkspace, holdAgain } from "./workspace/evolve-workspace.ts";
import { afterPerson } from "./after-person.ts";

/** Of bounds that were reached, the last of each kind. */
const REACHED_KEPT = 5;

/** Events of journals that are no run's. */
type NotOfRuns =
  keyof typeof SHARED_RESOURCE_EVENTS | keyof typeof CONTINUOUS_EVENTS | keyof typeof MISSION_EVENTS;

type Evolve = {
  readonly [Type in Exclude<EventType, "RunCreated" | "BodyCreated" | NotOfRuns>]: (
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
  ...evolveProgram,
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
  ...evolveUpload,
  ...evolveWorkspace,
  ...evolveProposal,
  ...evolveCommit,
  ...evolveStep,
  ...evolveFlow,
  RunClaimed(state, { epoch, host, missing = [], clock, home, away }, { at }) {
    state.clockRead = clock ?? null;
    state.epoch = epoch;
    if (away !== true || state.claim.away?.id !== home?.id) fetchAgain(state);
    const where = away === true ? { away: home } : { away: undefined, ...(home && { home }) };
    changeClaim(state, { at, missing, ...where });
    state.host = host ?? null;
    holdAgain(state);
    doubtActions(state);
    doubtHooks(state);
    state.stale.activityAt = at;
    for (const attempt of Object.values(state.attempts)) {
      attempt.finding = null;
      attempt.watchedSince = at;
      attempt.adoptedAt = at;
      restartSilence(attempt.health, at);
    }
  },
  // What a run is does not follow from what was removed from it.
  RunScrubbed: () => undefined,
  ScrubFinished: () => undefined,
  RunMoved: moveRun,
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
    Reflect.deleteProperty(state.workspace.commit, "endsAs");
    afterPerson(state);
    state.stop = null;
  },
  RunBlocked(state, { blocked }, { at }) {
    // Asked of somebody else, or for something else, the wait so far stays a wait.
    closeWaits(state, at);
    state.status = isApproval(blocked.reason) ? "awaiting_approval" : "blocked";
    state.blocked = blocked;
    state.blockedAt = at;
    if (state.claim.away !== undefined) changeClaim(state, { waits: true });
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
    // A person has looked at it: the remedies begin again.
    const step = state.blocked?.reason === "stuck" ? state.steps[state.blocked.step ?? ""] : undefined;
    if (step !== undefined) leaveLadder(state, step, at);
    changeClaim(state, { missing: [], waits: undefined });
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
    if (state.kind === "program" && body !== undefined) state.program.failure = body;
  },
  RunCancelled(state, { stop }) {
    state.status = "cancelled";
    Reflect.deleteProperty(state.workspace.commit, "endsAs");
    state.stoppingTo = null;
    state.stop = stop;
  },
  RunReopened(state) {
    state.status = "paused";
    state.stop = "operator";
    state.failure = null;
    state.failedStep = null;
    if (state.kind === "program") Reflect.deleteProperty(state.program, "failure");
    state.blocked = null;
    holdAgain(state);
    state.releaseFailures = 0;
    forgetAllDoubts(state);
  },
  RunSalvaged() {
    // Shown to people by the views; the block that comes with it is what counts.
  },
  LimitReached(state, data) {
    // For people alone: no decision depends on it.
    const known = (state.reached ?? []).filter(({ what }) => what !== data.what);
    state.reached = [...known, data].slice(-REACHED_KEPT);
  },
};

/** A map, and no object: the machine would expect the type it saw last, and be slow again with every other. */
const CHANGE_BY_TYPE = new Map(Object.entries(EVOLVE) as [EventType, Change][]);

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
    restartSilence(attempt.health, at);
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
    invariant(state === null, `the journal of ${place.run} creates the run twice`);
    return moved(newRunState(place.run, place.at, event.data), place);
  }
  if (event.type === "BodyCreated") {
    invariant(state === null, `the journal of ${place.run} creates the run twice`);
    return moved(newProgramRun(place.run, place.at, event.data), place);
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
  if (state.kind === "program") moveBudgetScopes(state.program.budgets, event);
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
