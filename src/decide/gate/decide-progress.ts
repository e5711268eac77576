import type { RunEvent } from "../../model/events/events.ts";
import { attemptId } from "../../model/ids.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { failureOf } from "../attempt/retry-class.ts";
import { failOrExpert } from "../ladder/try-expert.ts";

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

/** Accepted turn after turn, and nothing to show: a person is asked before the next one begins. */
export function decideProgress(state: RunState): RunEvent[] {
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
