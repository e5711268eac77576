import { shownBefore } from "../../fold/step/baseline.ts";
import { writes } from "../../fold/step/step-authority.ts";
import { takesCheckpoints } from "../../fold/workspace/takes-checkpoints.ts";
import { treeOfStep } from "../../fold/workspace/workspace-place.ts";
import type { Basis } from "../../model/state/baseline.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { isPersons, wasRed } from "../dispatch/baseline-rule.ts";
import { areFilesInHand, takeCheckpoint } from "../workspace/decide-checkpoints.ts";

/**
 * What passed checks are worth (B4). One that was red before the step and is green now shows work, whatever its agent
 * said last. One that was green before counts only with a change of the files, or where the agent says explicitly that
 * there was nothing to do. What is not known does not count as a change; then the agent's claim carries it, and the
 * reality check says so.
 */
export function basisOf(state: RunState, step: StepState): Basis | null {
  const { checking, spec } = step;
  if (checking === null || !isHeld(state, step)) return "checks";
  if (spec.checks.some((check) => wasRed(step, check))) return "red_to_green";
  const changed = hasChanged(step);
  if (changed === true) return "changed";
  if (!wereGreen(step)) return checking.word === "silent" ? null : "checks";
  if (checking.word === "nothing_to_do") return "nothing_to_do";
  // Declared outputs are looked at by themselves, also where no snapshot holds them.
  const mayHave = changed === null || (spec.outputs ?? []).length > 0;
  return checking.word === "claimed" && mayHave ? "claim" : null;
}

/** Only work that is written into a tree can show there, and a person's need not. */
const isHeld = (state: RunState, step: StepState): boolean => writes(step) && !isPersons(state, step);

const wereGreen = (step: StepState): boolean =>
  step.spec.checks.every((check) => shownBefore(step, check)?.verdict === "pass");

/** Whether the files differ from those that the step began with; null where that is not known. */
const hasChanged = ({ before, checking }: StepState): boolean | null =>
  before.digest === null || checking === null || checking.tree === null
    ? null
    : before.digest !== checking.tree;

/** Null where nothing has to be looked at before the checks are run, which may change files themselves. */
export function lookFirst(state: RunState, step: StepState, now: number): RunEvent[] | null {
  const { checking, spec } = step;
  if (checking === null || checking.tree !== null || checking.runs > 0 || spec.checks.length === 0)
    return null;
  if (!isHeld(state, step) || step.before.digest === null || !takesCheckpoints(state)) return null;
  if (spec.checks.some((check) => wasRed(step, check))) return null;
  if (!wereGreen(step) && checking.word !== "silent") return null;
  return lookAtFiles(state, spec.name, now);
}

/** A checkpoint tells what the files are; where none can be kept somebody is asked about that. */
export const lookAtFiles = (state: RunState, step: string, now: number): RunEvent[] =>
  areFilesInHand(state) || state.taken !== null || state.restoring !== null || state.keepFailures > 2
    ? []
    : takeCheckpoint(state, "after_step", now, { tree: treeOfStep(state, step) });

/** Why checks that have passed are not enough; what the agent is told. */
export function whyUnproved(state: RunState, step: StepState): string | null {
  if (step.spec.checks.length === 0 || basisOf(state, step) !== null) return null;
  const green = wereGreen(step) ? "the checks passed before you began as well" : "the checks pass";
  const files =
    hasChanged(step) === false ? "no file was changed" : "whether files were changed is not known";
  const word = step.checking?.word === "silent" ? ", and you said nothing of what was done" : "";
  return `${green}, ${files}${word}: nothing shows that the task was done. Do it; if there is nothing to do, end with the words "Nothing to do" and the reason.`;
}
