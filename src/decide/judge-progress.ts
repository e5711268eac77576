import type { RunEvent } from "../model/events.ts";
import type { RunState, StepState } from "../model/run-state.ts";
import { attemptId } from "../model/ids.ts";
import { rememberShown } from "./baseline-rule.ts";
import { failureOf, fingerprint } from "./retry-class.ts";
import { failOrExpert } from "./try-expert.ts";
import { worksApart, writes } from "./step-authority.ts";

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

/**
 * Null where a step that was sent back may be tried again. The same check has failed in the same way, and between the
 * two no file was changed: another try would burn an attempt for the same end.
 */
export function standsStill(state: RunState, step: StepState, now: number): RunEvent[] | null {
  const { spec, started, sameChecks, feedback, beganWith } = step;
  if (sameChecks < Math.max(2, state.settings.attempts.sameFailure) || feedback === null) return null;
  if (beganWith === null || !state.saved || beganWith !== state.progress.digest) return null;
  const text = `no file was changed by the last attempt, and what was found is the same as before: ${feedback}`;
  const failure = failureOf("check_failed", text);
  return failOrExpert(state, step, { attempt: attemptId(spec.name, started), failure, now });
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

/** Accepted turn after turn, and nothing to show: a person is asked before the next one begins. */
export function judgeProgress(state: RunState): RunEvent[] {
  const { progress, settings, stepsLeft } = state;
  const { turns } = settings.progress;
  if (state.status !== "running" || turns === 0 || progress.idle.length < turns || stepsLeft === 0) return [];
  const steps = progress.idle.slice(-turns).map((name) => `"${name}"`);
  const detail = `the last ${String(turns)} steps that were accepted (${steps.join(", ")}) changed no file, delivered nothing and passed no check`;
  return [
    {
      type: "RunBlocked",
      data: {
        blocked: { reason: "stuck", detail, attemptKept: false, guidance: ["proof_not_strong_enough"] },
      },
    },
  ];
}
