import type { RunState, StepState } from "../../model/state/run-state.ts";
import { fingerprint } from "../attempt/class-of-error.ts";
import { rememberShown } from "./baseline.ts";
import { worksApart, writes } from "../workspace/workspace-place.ts";

/**
 * Work that does not get on is not paid for again and again (G6). What is known of the files is what checkpoints have
 * kept of them: without those nothing is taken for standing still (I6).
 */

/** The files as an attempt finds them when it begins; null where they were not kept just before. */
export function noteBeginning(state: RunState, name: string): void {
  const step = state.steps[name];
  if (step === undefined) return;
  // Of a worktree of its own the checkpoints of the run's tree say nothing.
  const isSeen = writes(step) && !worksApart(state.settings, step);
  step.beganWith = state.saved && isSeen ? state.progress.digest : null;
}

/** The same words of a check again, but for numbers and addresses. */
export function noteCheckFailure(step: StepState, feedback: string | undefined): void {
  const before = step.feedback === null ? null : fingerprint(step.feedback);
  step.sameChecks = before !== null && before === fingerprint(feedback ?? "") ? step.sameChecks + 1 : 1;
}

/** Accepted: what it has to show is seen at once, or when its files are kept. */
export function noteAccepted(state: RunState, step: StepState): void {
  if (!writes(step)) return;
  const { spec, beganWith } = step;
  const isProved = spec.checks.length > 0 || (spec.reviewers ?? []).length > 0;
  if (isProved || (spec.outputs ?? []).length > 0 || beganWith === null) getsOn(state);
  else state.progress.unseen = { step: spec.name, began: beganWith };
}

export function noteKept(state: RunState, digest: string): void {
  const { unseen, shown } = state.progress;
  rememberShown(state, digest, shown);
  state.progress.shown = [];
  state.progress.digest = digest;
  state.progress.unseen = null;
  if (unseen === null) return;
  if (unseen.began === digest) state.progress.idle.push(unseen.step);
  else getsOn(state);
}

/** Something has changed, or somebody has looked. */
export function getsOn({ progress }: RunState): void {
  progress.idle = [];
  progress.unseen = null;
}
