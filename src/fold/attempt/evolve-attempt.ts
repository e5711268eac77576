import { type Spent, SPENT_KINDS } from "../../model/requests/budget.ts";
import type { Ending, EventData } from "../../model/events/events.ts";
import type { Failure } from "../../model/agent/failure.ts";
import { askedOf } from "../../model/flow/permission-rules.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";
import { CONVERSATION_MISSING, type Signal } from "../../model/agent/signals.ts";
import { exposeGuards, isChecked } from "../gate/evolve-guard.ts";
import { observeSeen } from "../health/health-observe.ts";
import { limitsOf } from "../health/restart-silence.ts";
import { noteCrash } from "../resource/evolve-shared-resources.ts";
import { turnDay } from "../resource/spent-today.ts";
import { keepWords } from "../run/evolve-alarm.ts";
import { beginBaseline } from "../step/baseline.ts";
import { beginChecking } from "../step/begin-checking.ts";
import { noteLeftover } from "../step/bound-evidence.ts";
import { dequeue, enqueue } from "../step/enqueue.ts";
import { noteBeginning } from "../step/note-progress.ts";
import { mayMoveBase } from "../workspace/evolve-drift.ts";
import { movedBy, noteBegun, takesCheckpoints } from "../workspace/workspace-place.ts";
import { isCrash } from "./class-of-error.ts";
import { countDeath } from "./count-death.ts";
import { countUsage, newAttemptState, spend, takeTurn } from "./new-attempt-state.ts";
import { dropAsk } from "./evolve-permission.ts";
import { noteLimitSaid, noteSession } from "./note-session.ts";
import { observeSignal } from "./observe-signal.ts";
import { isProviderActivity } from "./provider-activity.ts";
import { noteReader } from "./reader.ts";
import { neverArrived, putOnWay } from "./unreceived-words.ts";
import { workedMs } from "./live-wait.ts";

/** A program of one's own that prints text says all it says as progress, in a terminal or not. */
const PRINTS: ReadonlySet<string> = new Set(["tmux", "command"]);

/** Policies count no further back. */
const LAST_ROLES_MAX = 100;

interface At {
  readonly at: number;
}

/** The part of the fold that concerns attempts and their sessions. A word about an attempt that has ended changes nothing. */
export const evolveAttempt = {
  AttemptStarted(state: RunState, data: EventData<"AttemptStarted">, { at }: At): void {
    // Before anything of it can have changed the files.
    noteBeginning(state, data.step);
    beginBaseline(state, data.step);
    noteBegun(state, data.step);
    state.attempts[data.attempt] = newAttemptState(data, state.steps[data.step]?.rung ?? [], at);
    exposeGuards(state, data.attempt, data.step);
    mayMoveBase(state, data.attempt);
    const step = state.steps[data.step];
    if (step !== undefined) noteReader(state, step, takesCheckpoints(state));
    if (step === undefined) return;
    if (state.rules.lastRoles.push(step.spec.role ?? step.spec.agent) > LAST_ROLES_MAX)
      state.rules.lastRoles.shift();
    beginStep(step, data);
    noteSession(step, at);
    putOnWay(state, data);
    dequeue(state, data.step);
  },

  SignalsHeard(state: RunState, data: EventData<"SignalsHeard">, { at }: At): void {
    const attempt = state.attempts[data.attempt];
    if (attempt === undefined) return;
    attempt.cursor = data.cursor;
    attempt.lastSignalAt = at;
    attempt.phase = "working";
    const limits = limitsOf(state, attempt);
    if (data.signals.some(isProviderActivity)) state.stale.activityAt = at;
    if (data.signals.some(isWork)) attempt.activeAt = at;
    turnDay(state, at);
    for (const signal of data.signals) {
      const before = { ...attempt.spent };
      foldSignal(state, attempt, signal);
      noteRequest(attempt, before, at);
      const seen = observeSignal(signal, attempt.health, at);
      if (seen !== null) observeSeen(attempt.health, seen, at, limits);
    }
  },

  HealthChanged(state: RunState, data: EventData<"HealthChanged">, { at }: At): void {
    const attempt = state.attempts[data.attempt];
    if (attempt === undefined) return;
    const { state: name, pattern, evidence, confidence, waitsFor, until } = data;
    if (attempt.assessed.waitsFor === "limit" && waitsFor !== "limit") attempt.limitsPassed += 1;
    attempt.assessed = { state: name, pattern, evidence, confidence, waitsFor, until, since: at };
  },

  SessionObserved(state: RunState, data: EventData<"SessionObserved">): void {
    const attempt = state.attempts[data.attempt];
    if (attempt !== undefined) attempt.finding = data.finding;
  },

  AttemptEnding(state: RunState, data: EventData<"AttemptEnding">, { at }: At): void {
    const attempt = state.attempts[data.attempt];
    if (attempt === undefined) return;
    attempt.ending = data.to;
    attempt.message = data.message ?? null;
    const step = state.steps[attempt.step];
    // A remedy and the end that it orders are one append.
    if ((data.to === "stuck" || data.to === "message") && step?.ladder?.takenAt === at)
      step.ladder = { ...step.ladder, bySession: true };
  },

  AttemptEnded(state: RunState, data: EventData<"AttemptEnded">, { at }: At): void {
    const attempt = state.attempts[data.attempt];
    if (attempt === undefined) return;
    Reflect.deleteProperty(state.attempts, data.attempt);
    noteLeftover(state, attempt.session);
    neverArrived(state, data.attempt);
    closeAccount(state, attempt, at);
    if (isCrash(data)) noteCrash(state, at);
    movedBy(state, attempt.step);
    for (const [key, effect] of Object.entries(state.effects)) {
      if (!("attempt" in effect) || effect.attempt !== data.attempt) continue;
      Reflect.deleteProperty(state.effects, key);
      // Not known to have reached the agent, so its step's next attempt has them.
      if (effect.kind === "TellAgent") keepWords(state, effect);
    }
    const step = state.steps[attempt.step];
    if (step === undefined) return;
    step.live = null;
    if (attempt.ending !== null && SUSPENDS.has(attempt.ending) && data.outcome === "interrupted")
      step.suspended = { attempt: attempt.id, at, why: data.why };
    // An answer that was kept is for the one that continued, and for nobody after it.
    else step.permitted = [];
    if (attempt.lastSignalAt === null) step.rung = [...attempt.rung, ...step.rung];
    step.status = "pending";
    step.deaths = countDeath(step.deaths, attempt, data);
    if (data.charged) step.charged += 1;
    noteFailure(step, data.failure);
    keepConversation(step, attempt);
    step.message = attempt.message;
    if (data.outcome === "succeeded" && isChecked(state, step)) beginChecking(state, step, data);
    else if (step.needsLeft === 0) enqueue(state, attempt.step);
  },
};

/** Ends after which people are asked: what the session leaves is kept for the one that continues it. */
const SUSPENDS: ReadonlySet<Ending> = new Set(["suspended", "run_limit", "policy"]);

function beginStep(step: StepState, { number, attempt }: EventData<"AttemptStarted">): void {
  step.status = "running";
  step.proof = null;
  step.started = number;
  step.live = attempt;
  step.suspended = null;
  step.message = null;
  step.helper = null;
  step.notBefore = null;
  step.rung = [];
  step.limit = null;
}

/** What one request has used, and when an answer began: at most so much is overshot by one more. */
function noteRequest(attempt: AttemptState, before: Spent, at: number): void {
  const { largest, spent, turnAt } = attempt;
  for (const kind of SPENT_KINDS) largest[kind] = Math.max(largest[kind], spent[kind] - before[kind]);
  if (spent.turns <= before.turns) return;
  // The answer before, with the calls it made, has taken until now.
  largest.timeMs = Math.max(largest.timeMs, turnAt === null ? 0 : at - turnAt);
  attempt.turnAt = at;
}

function closeAccount(state: RunState, attempt: AttemptState, at: number): void {
  spend(state, attempt, { timeMs: workedMs(state, attempt, at) });
  for (const kind of SPENT_KINDS) state.dearest[kind] = Math.max(state.dearest[kind], attempt.spent[kind]);
}

function noteFailure(step: StepState, failure: Failure | undefined): void {
  if (failure === undefined) return;
  step.sameFailures = step.lastFailure?.fingerprint === failure.fingerprint ? step.sameFailures + 1 : 1;
  step.lastFailure = failure;
}

/** An agent that cannot find its conversation, or whose conversation is the trouble, begins a new one next time. */
function keepConversation(
  step: StepState,
  { agent, conversation, lastError, afresh, helps }: AttemptState,
): void {
  if (helps) return;
  if (afresh || lastError?.code === CONVERSATION_MISSING) step.conversation = null;
  else if (conversation !== null) step.conversation = { agent, id: conversation };
}

/** Signals of an agent, or its model, at work; what it asks and how it ends are none. */
const WORK: ReadonlySet<Signal["kind"]> = new Set([
  "tool_call",
  "tool_result",
  "message",
  "speaking",
  "usage",
  "progress",
]);
const isWork = (signal: Signal): boolean =>
  WORK.has(signal.kind) && !(signal.kind === "message" && signal.from !== "agent");

const SAID_CHARS_MAX = 1_500;

function sayLast(attempt: AttemptState, text: string): void {
  if (text.trim() === "") return;
  attempt.lastSaid = text.slice(-SAID_CHARS_MAX);
  noteLimitSaid(attempt, text);
}

function foldSignal(state: RunState, attempt: AttemptState, signal: Signal): void {
  switch (signal.kind) {
    case "usage":
      return countUsage(state, attempt, signal);
    case "result":
      attempt.claim = signal;
      return;
    case "error":
      attempt.lastError = signal;
      return;
    case "conversation":
      attempt.conversation = signal.id;
      return;
    case "permission":
      attempt.permissions[signal.askId] = askedOf(signal);
      return;
    case "answered":
      return dropAsk(state, attempt, signal.askId);
    case "blocked":
      attempt.raised ??= { reason: signal.reason, text: signal.text };
      attempt.asked = true;
      return;
    case "exit":
      attempt.exit ??= signal;
      attempt.left ??= { since: state.checkpointed, tree: null };
      return;
    case "tool_call":
      attempt.health.limitSaid = null;
      return takeTurn(state, attempt);
    case "message":
      if (signal.from === "agent") sayLast(attempt, signal.text);
      if (signal.from === "agent") takeTurn(state, attempt);
      else attempt.inTurn = false;
      return;
    case "progress":
      if (PRINTS.has(state.agents[attempt.agent]?.use ?? "")) sayLast(attempt, signal.text);
      return;
    case "unknown":
      return sayLast(attempt, signal.text);
    case "tool_result":
      attempt.inTurn = false;
      return;
    case "ready":
      attempt.isReady = true;
      return;
    case "condensed":
    case "speaking":
    case "context":
    case "question":
    case "rate_limit":
      return;
  }
}
