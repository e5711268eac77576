import type { EventData } from "../model/events.ts";
import type { RunState, StepState } from "../model/run-state.ts";
import { stepDone, stepUndone } from "./gates.ts";

/** The part of the fold that concerns steps that are not done. */
export const evolveFlow = {
  StepSkipped(state: RunState, { step: name, why }: EventData<"StepSkipped">): void {
    const step = state.steps[name];
    if (step === undefined) return;
    step.status = "skipped";
    step.skippedFor = why;
    Reflect.deleteProperty(state.ready, name);
    state.passedOver += 1;
    settle(state, step);
  },
};

/** Nothing more comes of a step for now: those that wait for it have one need less. */
export function settle(state: RunState, step: StepState): void {
  step.settled = true;
  stepDone(state, step.spec.name);
  state.stepsLeft -= 1;
  for (const dependent of state.dependents[step.spec.name] ?? []) {
    const waiting = state.steps[dependent];
    if (waiting === undefined) continue;
    waiting.needsLeft -= 1;
    if (waiting.needsLeft === 0 && waiting.status === "pending") state.ready[dependent] = true;
  }
}

/**
 * A step that had come to its end is to be done again: those wait that have not started yet, and what was skipped is
 * judged anew.
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
      Reflect.deleteProperty(state.ready, dependent);
      if (waiting.status === "skipped") open.push(waiting);
    }
  }
}
