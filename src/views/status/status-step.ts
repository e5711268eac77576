import { BASIS_WORDS } from "../../model/state/basis-words.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

export interface StatusStep {
  readonly name: string;
  readonly status: string;
  readonly attempts: number;
  readonly agent: string;
  readonly lastFailure: string | null;
  /** The step whose plan it is of; null where the flow has it. */
  readonly plannedBy: string | null;
  /** Why it stands so, where it is not simply done: skipped, dropped, or its last failure. */
  readonly why: string | null;
  /** What its success rests on, as its checks and its files show; null where it has no checks or is not done. */
  readonly rests: string | null;
}

/** A step as `status` shows it. */
export const stepView = (state: RunState, step: StepState): StatusStep => ({
  name: step.spec.name,
  status: step.status,
  attempts: step.started,
  agent: step.spec.agent,
  lastFailure: step.lastFailure?.text ?? null,
  plannedBy: step.plannedBy,
  why: whyOf(state, step),
  rests: step.status === "succeeded" && step.basis !== null ? BASIS_WORDS[step.basis] : null,
});

function whyOf(
  { steps }: RunState,
  { status, skippedFor, plannedBy, lastFailure }: StepState,
): string | null {
  if (status === "skipped") return skippedFor;
  const failure = lastFailure?.text ?? null;
  if (status !== "dropped") return failure;
  const text = `${plannedBy ?? "it"} was replanned`;
  return failure === null || steps[plannedBy ?? ""] === undefined ? text : `${text}: ${failure}`;
}
