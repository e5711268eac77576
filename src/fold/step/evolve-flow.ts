import type { EventData } from "../../model/events/events.ts";
import type { Step } from "../../model/flow/flow.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { guardCommands, stepAdded, stepDone, stepUndone } from "../gate/gates.ts";
import { newStep } from "../new-run-state.ts";
import { noteReset } from "../workspace/evolve-commit.ts";
import { dequeue, enqueue } from "./enqueue.ts";

/** The part of the fold that concerns steps that are not done. */
export const evolveFlow = {
  StepSkipped(state: RunState, { step: name, why }: EventData<"StepSkipped">): void {
    const step = state.steps[name];
    if (step === undefined) return;
    step.status = "skipped";
    step.skippedFor = why;
    dequeue(state, name);
    state.passedOver += 1;
    settle(state, step);
  },
  StepsPlanned(state: RunState, { step: planner, steps, commands }: EventData<"StepsPlanned">): void {
    guardCommands(state, planner, commands ?? []);
    const followers = (state.dependents[planner] ?? []).filter(
      (name) => state.steps[name]?.plannedBy !== planner,
    );
    for (const spec of steps) addPlanned(state, planner, spec);
    const last = steps.filter(({ name }) => (state.dependents[name] ?? []).length === 0);
    for (const follower of followers) waitForLast(state, follower, last);
  },
  StepsReplanned(state: RunState, data: EventData<"StepsReplanned">): void {
    const planner = state.steps[data.step];
    if (planner === undefined) return;
    for (const name of data.dropped) drop(state, name);
    unsettle(state, planner);
    leaveChecks(state, planner);
    noteReset(state, data.step);
    planner.replans = data.by === "holdfast" ? planner.replans + 1 : 0;
    Object.assign(planner, {
      status: "pending",
      charged: 0,
      checkFails: 0,
      sameFailures: 0,
      deaths: { quiet: 0, all: 0 },
      doneSeq: null,
      lastFailure: null,
      notBefore: null,
      result: null,
      replanFor: data.feedback,
    } satisfies Partial<StepState>);
    if (planner.needsLeft === 0) enqueue(state, data.step);
  },
};

function addPlanned(state: RunState, planner: string, spec: Step): void {
  const step = newStep(spec, planner);
  step.needsLeft = spec.needs.filter((need) => state.steps[need]?.settled !== true).length;
  state.steps[spec.name] = step;
  state.stepsLeft += 1;
  for (const need of spec.needs) (state.dependents[need] ??= []).push(spec.name);
  stepAdded(state, step, planner);
}

/** Those that wait for a plan wait for its last steps too. */
function waitForLast(state: RunState, follower: string, last: readonly Step[]): void {
  const step = state.steps[follower];
  if (step === undefined) return;
  const names = last.map(({ name }) => name);
  step.spec = { ...step.spec, needs: [...step.spec.needs, ...names] };
  step.needsLeft += names.length;
  for (const name of names) (state.dependents[name] ??= []).push(follower);
}

/** A step that is not to be done any more: nobody waits for it. */
function drop(state: RunState, name: string): void {
  const step = state.steps[name];
  if (step === undefined || step.status === "dropped") return;
  if (step.status === "failed") state.failedSteps -= 1;
  if (step.settled && step.status !== "succeeded") state.passedOver -= 1;
  if (!step.settled) settle(state, step);
  step.status = "dropped";
  leaveChecks(state, step);
  dequeue(state, name);
  Reflect.deleteProperty(state.artifacts, name);
  noteReset(state, name);
  for (const dependent of state.dependents[name] ?? []) {
    const waiting = state.steps[dependent];
    if (waiting === undefined || waiting.plannedBy !== null) continue;
    waiting.spec = { ...waiting.spec, needs: waiting.spec.needs.filter((need) => need !== name) };
  }
  Reflect.deleteProperty(state.dependents, name);
}

/** What was being looked at of work that is not wanted any more would count as done in the end. */
function leaveChecks(state: RunState, step: StepState): void {
  step.checking = null;
  Reflect.deleteProperty(state.checking, step.spec.name);
}

/** Nothing more comes of a step for now: those that wait for it have one need less. */
export function settle(state: RunState, step: StepState): void {
  step.settled = true;
  stepDone(state, step.spec.name);
  state.stepsLeft -= 1;
  for (const dependent of state.dependents[step.spec.name] ?? []) {
    const waiting = state.steps[dependent];
    if (waiting === undefined) continue;
    waiting.needsLeft -= 1;
    if (waiting.needsLeft === 0 && waiting.status === "pending") enqueue(state, dependent);
  }
}

/**
 * A step that had come to its end is to be done again: those wait that have not started yet, and what was skipped is
 * assessed again.
 */
export function unsettle(state: RunState, first: StepState): void {
  const open = [first];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (!step.settled) continue;
    step.settled = false;
    stepUndone(state, step.spec.name);
    Reflect.deleteProperty(state.artifacts, step.spec.name);
    state.stepsLeft += 1;
    if (step.status === "skipped" || step.status === "failed") state.passedOver -= 1;
    if (step.status === "skipped") {
      step.status = "pending";
      step.skippedFor = null;
    }
    for (const dependent of state.dependents[step.spec.name] ?? []) {
      const waiting = state.steps[dependent];
      if (waiting === undefined) continue;
      waiting.needsLeft += 1;
      dequeue(state, dependent);
      if (waiting.status === "skipped") open.push(waiting);
    }
  }
}
