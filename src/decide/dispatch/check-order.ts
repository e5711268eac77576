import type { Effect } from "../../model/effects/effects.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { cleanCopy, cwdOf, environmentOf } from "../workspace/workspace-place.ts";

interface Ordered {
  readonly check: StepState["spec"]["checks"][number];
  readonly attempt: string;
  readonly now: number;
}

/** How one check of a step is run: where the step works, or in a copy of exactly what would be accepted. */
export const checkOrder = (
  state: RunState,
  { spec }: StepState,
  { check, attempt, now }: Ordered,
): Extract<Effect, { kind: "RunCheck" }> => ({
  kind: "RunCheck",
  attempt,
  step: spec.name,
  command: check.run,
  cwd: cwdOf(state, spec.name),
  limitMs: check.limitMs ?? state.settings.checks.limitMs,
  outputBytesMax: state.settings.checks.outputBytesMax,
  ...(state.workspace.worktree === null ? {} : { env: environmentOf(state, spec.name) }),
  ...(check.clean === true ? { clean: cleanCopy(state, now, spec.name) } : {}),
});
