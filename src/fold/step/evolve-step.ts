import { newBaseline } from "../../model/state/baseline.ts";
import type { EventData, EventType } from "../../model/events/events.ts";
import { invariant } from "../../model/fault.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { noteSaid } from "../attempt/unreceived-words.ts";
import { forgetHooks } from "../gate/evolve-hook.ts";
import type { Place } from "../place.ts";
import { settled as commitSettled, noteDone, noteReset } from "../workspace/evolve-commit.ts";
import { moved as filesMoved, movedBy } from "../workspace/workspace-place.ts";
import { noteShown } from "./baseline.ts";
import { beginChecking } from "./begin-checking.ts";
import { proofOf } from "./bound-evidence.ts";
import { dequeue, enqueue, requeue } from "./enqueue.ts";
import { settle, unsettle } from "./evolve-flow.ts";
import { leaveCopy, withdraw } from "./evolve-proposal.ts";
import { isHandled } from "./is-handled.ts";
import { noteAccepted, noteCheckFailure } from "./note-progress.ts";

/** People's words that a step keeps for its next attempts. */
const NOTES_MAX = 10;

type Steps = Extract<
  EventType,
  | "StepSucceeded"
  | "StepRetryScheduled"
  | "StepFailed"
  | "StepReset"
  | "StepChecked"
  | "StepDoneByHand"
  | "EvidenceOutdated"
  | "StepAdvised"
  | "PermissionKept"
>;

const stepOf = (state: RunState, name: string): StepState => {
  const step = state.steps[name];
  invariant(
    step !== undefined,
    `the journal of ${state.run} speaks of step "${name}", which its flow does not have`,
  );
  return step;
};

/** The part of the fold that concerns steps. */
export const evolveStep: {
  readonly [Type in Steps]: (state: RunState, data: EventData<Type>, place: Place) => void;
} = {
  StepSucceeded(state, { step: name, result }, { seq }) {
    const step = stepOf(state, name);
    step.status = "succeeded";
    step.doneSeq = seq;
    noteDone(state, name);
    noteAccepted(state, step);
    leaveCopy(state, name);
    state.unsavedStep = true;
    filesMoved(state);
    step.checking = null;
    Reflect.deleteProperty(state.checking, name);
    step.result = result ?? null;
    dequeue(state, name);
    settle(state, step);
  },
  StepRetryScheduled(state, { step: name, notBefore, limit, named }) {
    const step = stepOf(state, name);
    step.notBefore = notBefore;
    step.namedWait = named === true;
    step.limit = limit ?? null;
    step.limitWaits = limit === undefined ? 0 : step.limitWaits + 1;
    requeue(state, name);
  },
  StepFailed(state, { step: name, failure }) {
    const step = stepOf(state, name);
    step.status = "failed";
    step.lastFailure = failure;
    dequeue(state, name);
    state.failedSteps += 1;
    if (!isHandled(state, name)) return;
    state.passedOver += 1;
    settle(state, step);
  },
  StepReset(state, { step: name }) {
    const step = stepOf(state, name);
    if (step.status === "dropped") return;
    forgetHooks(state, name);
    // What was done is done again from the files as they are now; what was not done is gone on with.
    if (step.status === "succeeded") step.before = newBaseline();
    step.proof = null;
    step.outdated = 0;
    step.charged = 0;
    step.limitWaits = 0;
    step.ladder = null;
    step.remedies = {};
    step.helper = null;
    step.expert = null;
    step.checkFails = 0;
    step.sameChecks = 0;
    step.sameFailures = 0;
    // At work already: it gets its attempts back, not a second agent beside the first.
    if (step.live !== null || step.status === "checking") return;
    if (step.status === "failed") state.failedSteps -= 1;
    unsettle(state, step);
    noteReset(state, name);
    withdraw(state, name);
    step.status = "pending";
    step.doneSeq = null;
    step.notBefore = null;
    step.limit = null;
    step.lastFailure = null;
    if (step.needsLeft === 0) enqueue(state, name);
  },
  StepChecked(state, { step: name, verdict, feedback, basis }) {
    const step = stepOf(state, name);
    step.basis = basis ?? null;
    step.proof = verdict === "pass" ? proofOf(step) : null;
    if (verdict === "pass") noteShown(state, step);
    step.checking = null;
    Reflect.deleteProperty(state.checking, name);
    step.status = "pending";
    if (step.needsLeft === 0) enqueue(state, name);
    if (verdict === "pass") step.sameChecks = 0;
    else noteCheckFailure(step, feedback);
    step.feedback = feedback ?? null;
    if (verdict === "pass") return;
    step.result = null;
    step.checkFails += 1;
  },
  EvidenceOutdated(state, { step: name, attempt }) {
    commitSettled(state);
    const step = stepOf(state, name);
    const { basis, result, proof } = step;
    unsettle(state, step);
    noteReset(state, name);
    step.outdated += 1;
    step.doneSeq = null;
    step.proof = null;
    const word = basis === "nothing_to_do" ? "nothing_to_do" : "claimed";
    beginChecking(state, step, { attempt, result, word });
    if (step.checking !== null) step.checking.tree = proof?.digest ?? null;
  },
  StepDoneByHand(state, { step: name, attempt, number }) {
    const step = stepOf(state, name);
    dequeue(state, name);
    step.started = number;
    // No agent follows where the checks do not pass: the person who did it is asked again.
    step.checkFails = state.settings.checks.tries;
    movedBy(state, name);
    beginChecking(state, step, { attempt, result: null, word: "claimed" });
  },
  PermissionKept(state, { step: name, what, allow, note }) {
    const step = stepOf(state, name);
    const kept = { what, allow, ...(note === undefined ? {} : { note }) };
    step.permitted = [...step.permitted.filter((one) => one.what !== what), kept].slice(-NOTES_MAX);
  },
  StepAdvised(state, { step: name, note, by }, { at }) {
    const step = stepOf(state, name);
    step.notes = [...step.notes, { by, text: note }].slice(-NOTES_MAX);
    state.untold = state.untold.filter(({ step: of, text }) => of !== name || text !== note);
    noteSaid(state, name, { by, text: note, at });
  },
};
