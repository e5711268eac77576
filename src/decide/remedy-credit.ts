import type { LadderState } from "../model/ladder.ts";
import type { AttemptState, RunState, StepState } from "../model/run-state.ts";

/**
 * Which remedy is credited when trouble is over. A remedy helped only if progress was seen after it took effect and
 * before anything else was done; where that cannot be shown, the outcome says so.
 */
export interface Credit {
  readonly outcome: "helped" | "unclear";
  readonly why: string;
}

/** Null while the trouble lasts, or the remedy has not taken effect yet. */
export function creditFor(ladder: LadderState, { assessed, health }: AttemptState): Credit | null {
  const isWell = assessed.state !== "stuck" && assessed.state !== "degraded";
  if (!isWell || health.progressAt <= Math.max(ladder.takenAt, health.startedAt)) return null;
  const doubt = doubtOf(ladder);
  if (doubt !== null) return unclear(`progress was seen, but ${doubt}`);
  if (ladder.effectAt === null || health.progressAt <= ladder.effectAt) return null;
  return helped(
    ladder.taken.remedy === "warn"
      ? "progress was seen after it and before any other remedy: the agent recovered by itself"
      : "progress was seen after it and before any other remedy",
  );
}

/** An attempt that succeeds ends the trouble of its step. */
export function creditForSuccess(ladder: LadderState): Credit {
  const doubt = doubtOf(ladder);
  if (doubt !== null) return unclear(`the attempt succeeded, but ${doubt}`);
  return ladder.effectAt === null
    ? unclear("the attempt succeeded before it took effect")
    : helped("the attempt succeeded after it and before any other remedy");
}

function doubtOf({ outcome, meanwhile }: LadderState): string | null {
  if (outcome !== null) return "only after it was found not to help";
  return meanwhile === null ? null : `${meanwhile} since it was tried`;
}

const helped = (why: string): Credit => ({ outcome: "helped", why });
const unclear = (why: string): Credit => ({ outcome: "unclear", why: `${why}: nothing shows what helped` });

/** The part of the fold that says when the last remedy took effect, and what else was done since. */
export function noteSession(step: StepState, at: number): void {
  const { ladder } = step;
  if (ladder === null || ladder.outcome !== null) return;
  // The session after a helper's is the other half of that remedy.
  if (ladder.taken.remedy === "helper" && ladder.effectAt !== null) return;
  step.ladder =
    ladder.bySession && ladder.effectAt === null
      ? { ...ladder, effectAt: at }
      : { ...ladder, meanwhile: "the agent was started again for another reason" };
}

export function noteWords(
  state: RunState,
  { step: name, remedy }: { readonly step: string; readonly remedy?: boolean | undefined },
  { arrived, at }: { readonly arrived: boolean; readonly at: number },
): void {
  const step = state.steps[name];
  const ladder = step?.ladder ?? null;
  if (step === undefined || ladder === null || ladder.outcome !== null) return;
  if (remedy === true && !arrived) step.ladder = { ...ladder, meanwhile: "its message did not arrive" };
  else if (remedy === true) step.ladder = { ...ladder, effectAt: ladder.effectAt ?? at };
  else if (arrived) step.ladder = { ...ladder, meanwhile: "another message was sent to the agent" };
}
