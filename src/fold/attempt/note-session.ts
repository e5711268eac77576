import type { RunState, StepState } from "../../model/state/run-state.ts";

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
