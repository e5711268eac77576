import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import { isMove, type Effect } from "../../model/effects/effects.ts";
import type { EventData } from "../../model/events/events.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { intendAnswer, settleAnswer } from "../attempt/evolve-permission.ts";
import { noteWords } from "../attempt/note-session.ts";
import { arrived } from "../attempt/unreceived-words.ts";
import { intendAtGate, settleAtGate } from "../gate/evolve-gate.ts";
import { intendGuard, settleGuard } from "../gate/evolve-guard.ts";
import { settleHook } from "../gate/evolve-hook.ts";
import {
  intendOpening,
  noteReviewerEnded,
  noteSeal,
  noteWriting,
  settleOpening,
} from "../gate/evolve-seal.ts";
import { intendTriage, settleTriage } from "../health/evolve-triage.ts";
import { observeSeen } from "../health/health-observe.ts";
import { limitsOf } from "../health/restart-silence.ts";
import { spendAsked } from "../resource/spent-today.ts";
import { intendPublishing, settlePublishing } from "../resource/evolve-shared-resources.ts";
import { keepWords } from "../run/evolve-alarm.ts";
import { intendBaseline, settleCheck } from "../step/baseline.ts";
import { intendReview, settleReview } from "../step/bound-evidence.ts";
import { intendBindingLook, intendLook, settleBindingLook, settleLook } from "../workspace/evolve-drift.ts";
import { intendCheckpoint, settleCheckpoint, settleRelease } from "../workspace/evolve-checkpoint.ts";
import { intendCompare, settleCompare } from "../workspace/evolve-overlap.ts";
import { intendMove, settleMove } from "../workspace/evolve-upload.ts";
import { intendPlace, noteRemade, settlePlace } from "../workspace/evolve-workspace.ts";
import { movedBy } from "../workspace/workspace-place.ts";
import { noteUntrusted } from "../workspace/note-untrusted.ts";
import { delayEffect, endDelay } from "./delay-effect.ts";

interface At {
  readonly at: number;
}

/** The part of the fold that concerns what is done outside the journal. */
export const evolveEffect = {
  EffectIntended(state: RunState, { key, effect }: EventData<"EffectIntended">, { at }: At): void {
    state.effects[key] = effect;
    noteWriting(state, effect);
    if (isMove(effect)) return intendMove(state, effect);
    switch (effect.kind) {
      case "StartAgent":
        return noteSeal(state, effect);
      case "OpenSeal":
        return intendOpening(state, effect);
      case "Notify":
        return;
      case "RunHook":
        return void (state.rules.hookRuns += 1);
      case "TellGround":
        return intendPublishing(state, effect, at);
      case "AskTriage":
        return intendTriage(state, effect, at);
      case "AskReview":
        return intendReview(state, effect);
      case "RunAtGate":
        return intendAtGate(state, effect);
      case "GuardFiles":
        return intendGuard(state, effect.tree);
      case "LookAtHead":
        return intendLook(state);
      case "CompareWork":
        return intendCompare(state);
      case "LookAtBindings":
        return intendBindingLook(state);
      case "ReleaseCheckpoints":
        return void (state.releases += 1);
      case "TakeCheckpoint":
      case "RestoreCheckpoint":
        return intendCheckpoint(state, effect);
      case "CreateWorktree":
      case "HoldTree":
      case "FreeTree":
      case "RunInTree":
      case "CarryFiles":
      case "RemoveWorktree":
      case "CommitWork":
      case "AcceptWork":
      case "JoinWork":
      case "DropCopy":
      case "CopyTree":
      case "KeepProposal":
      case "ApplyProposal":
        return intendPlace(state, key, effect);
      case "AnswerPermission":
      case "TellAgent":
        if (effect.kind === "AnswerPermission") useKeptAnswer(state, effect);
        return intendWords(state.attempts[effect.attempt], effect);
      case "RunCheck":
        return intendCheck(state, effect);
      case "CollectOutputs":
        return intendOutputs(state, effect.step);
      case "EndAgent":
        return intendEnd(state.attempts[effect.attempt]);
    }
  },

  EffectDelayed(state: RunState, { key, fault, text }: EventData<"EffectDelayed">, { at }: At): void {
    delayEffect(state, key, { fault, text, at });
  },

  EffectSettled(state: RunState, { key, outcome }: EventData<"EffectSettled">, { at }: At): void {
    const effect = state.effects[key];
    Reflect.deleteProperty(state.effects, key);
    if (effect !== undefined && outcome.kind !== "in_doubt") noteRemade(state, outcome.remade ?? []);
    if (effect !== undefined && !noteUntrusted(state, effect, outcome))
      settle(state, effect, { key, outcome, at });
    endDelay(state, key, at);
  },
};

function intendEnd(attempt: AttemptState | undefined): void {
  if (attempt === undefined) return;
  attempt.endTries += 1;
  attempt.endFailure = null;
}

/** An answer that was kept for a continued session counts once. */
function useKeptAnswer(
  state: RunState,
  { attempt, what }: Extract<Effect, { kind: "AnswerPermission" }>,
): void {
  const step = state.steps[state.attempts[attempt]?.step ?? ""];
  if (step !== undefined) step.permitted = step.permitted.filter((one) => one.what !== what);
}

function intendCheck(
  state: RunState,
  { step, phase, attempt, clean }: Extract<Effect, { kind: "RunCheck" }>,
): void {
  if (phase === "before") return intendBaseline(state, step);
  // A check may leave files behind.
  if (clean === undefined) movedBy(state, step);
  const ended = state.attempts[attempt];
  if (phase === "end" && ended !== undefined) ended.shows += 1;
  const checking = state.steps[step]?.checking ?? null;
  if (phase === undefined && checking !== null) checking.runs += 1;
}

interface Settled {
  readonly key: string;
  readonly outcome: EffectOutcome;
  readonly at: number;
}

function settle(state: RunState, effect: Effect, settled: Settled): void {
  const { outcome } = settled;
  if (isMove(effect)) return settleMove(state, effect, settled);
  switch (effect.kind) {
    case "StartAgent":
      return settleStart(state, effect.attempt, settled);
    case "EndAgent":
      return settleEnd(state, effect, settled);
    case "TellAgent":
      noteWords(state, effect, { arrived: outcome.kind === "done", at: settled.at });
      return outcome.kind === "done" ? noteSent(state, effect, settled.at) : keepWords(state, effect);
    case "AnswerPermission":
      return settleAnswer(state, effect, settled);
    case "RunCheck":
      return settleCheck(state, effect, outcome);
    case "CollectOutputs":
      return settleOutputs(state, effect, outcome);
    case "AskReview":
      return settleReview(state, effect, settled);
    case "RunAtGate":
      return settleAtGate(state, effect, outcome);
    case "LookAtHead":
      return settleLook(state, settled);
    case "LookAtBindings":
      return settleBindingLook(state, settled);
    case "CompareWork":
      return settleCompare(state, effect.snapshot, settled);
    case "ReleaseCheckpoints":
      return settleRelease(state, effect, outcome);
    case "TakeCheckpoint":
    case "RestoreCheckpoint":
      return settleCheckpoint(state, effect, settled);
    case "TellGround":
      return settlePublishing(state, effect, settled);
    case "OpenSeal":
      return settleOpening(state, effect, outcome);
    case "GuardFiles":
      return settleGuard(state, effect.tree, settled);
    case "CreateWorktree":
    case "HoldTree":
    case "FreeTree":
    case "RunInTree":
    case "CarryFiles":
    case "RemoveWorktree":
    case "CommitWork":
    case "AcceptWork":
    case "JoinWork":
    case "CopyTree":
    case "KeepProposal":
    case "ApplyProposal":
    case "DropCopy":
      return settlePlace(state, effect, settled);
    case "AskTriage":
      return settleTriage(state, effect, settled);
    case "RunHook":
      return settleHook(state, effect, outcome);
    case "Notify":
      return settleNotice(state, effect.id, settled);
  }
}

/** Words that reached the agent are a chance: what it did before is not held against it unless it comes again. */
function noteSent(
  state: RunState,
  { attempt: id, text, remedy }: Extract<Effect, { kind: "TellAgent" }>,
  at: number,
): void {
  const attempt = state.attempts[id];
  if (attempt === undefined) return;
  // A nudge is no new task: silence goes on counting.
  const seen =
    remedy === true
      ? ({ kind: "granted" } as const)
      : ({ kind: "sent", key: text.slice(0, SENT_CHARS) } as const);
  observeSeen(attempt.health, seen, at, limitsOf(state, attempt));
}

function intendOutputs(state: RunState, step: string): void {
  const checking = state.steps[step]?.checking ?? null;
  if (checking !== null) checking.looks += 1;
}

const SENT_CHARS = 120;

function intendWords(
  attempt: AttemptState | undefined,
  effect: Extract<Effect, { kind: "TellAgent" | "AnswerPermission" }>,
): void {
  if (attempt === undefined) return;
  if (effect.kind === "TellAgent") attempt.messages += 1;
  else intendAnswer(attempt, effect);
}

function settleStart(state: RunState, id: string, { outcome, at }: Settled): void {
  if (outcome.kind === "done") arrived(state, id);
  const attempt = state.attempts[id];
  if (attempt === undefined) return;
  attempt.watchedSince = at;
  if (outcome.kind === "done") {
    attempt.started = true;
    attempt.sandbox = outcome.sandbox ?? null;
  } else
    attempt.startFailure = { text: outcome.text, terminal: outcome.kind === "failed" && outcome.terminal };
}

function settleEnd(
  state: RunState,
  effect: Extract<Effect, { kind: "EndAgent" }>,
  { outcome, at }: Settled,
): void {
  if (outcome.kind === "done" && outcome.used !== undefined) spendAsked(state, outcome.used, at);
  noteReviewerEnded(state, effect, outcome);
  const attempt = state.attempts[effect.attempt];
  if (attempt === undefined) return;
  if (outcome.kind === "done") attempt.endedAt = at;
  else attempt.endFailure = outcome.text;
}

function settleOutputs(
  state: RunState,
  { step, attempt }: Extract<Effect, { kind: "CollectOutputs" }>,
  outcome: EffectOutcome,
): void {
  const checking = state.steps[step]?.checking ?? null;
  if (checking === null || checking.attempt !== attempt) return;
  const report = outcome.kind === "done" ? outcome.outputs : undefined;
  if (report !== undefined) checking.outputs = report;
  else {
    checking.lookFailures += 1;
    checking.lookFailure = outcome.kind === "done" ? "it has shown nothing" : outcome.text;
  }
}

function settleNotice(state: RunState, id: string, { outcome }: Settled): void {
  const notice = state.notices[id];
  if (notice === undefined) return;
  if (outcome.kind === "done") {
    Reflect.deleteProperty(state.notices, id);
    return;
  }
  notice.tries += 1;
  notice.lastWhy = outcome.text;
  notice.lastFailure = {
    text: outcome.text,
    terminal: outcome.kind === "failed" && outcome.terminal,
    retryAfterMs: outcome.kind === "failed" ? (outcome.retryAfterMs ?? 0) : 0,
  };
}
