import type { RunState, StepState } from "../../model/state/run-state.ts";
import { lastKept, proposes, writes } from "../workspace/workspace-place.ts";

/** What a step does in its tree. */
export const kindOfWork = (step: StepState): "writes" | "proposes" | "reviews" =>
  writes(step) ? "writes" : proposes(step) ? "proposes" : "reviews";

export const reviews = (step: StepState | undefined): boolean =>
  step !== undefined && !writes(step) && !proposes(step);

/** Where those that may not write began. */
export function noteReader(state: RunState, step: StepState, isKept: boolean): void {
  if (!reviews(step) || !isKept) return;
  state.readSince ??= lastKept(state)?.id ?? null;
}
