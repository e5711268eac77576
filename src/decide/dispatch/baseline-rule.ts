import { homeFirst } from "../attempt/home-rule.ts";
import { areFilesInHand } from "../workspace/decide-checkpoints.ts";
import { cleanCopy, cwdOf, environmentOf } from "../workspace/workspace-place.ts";
import { type Check, isOf, knownOf, shownBefore, treeDigest } from "../../fold/step/baseline.ts";
import { proposes, takesCheckpoints, writes } from "../../fold/workspace/workspace-place.ts";
import { AGENTS } from "../../model/agent/kinds/registry.ts";
import { type Effect, effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { attemptId } from "../../model/ids.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

/**
 * The baseline (B4): the checks of a step are run once before its first attempt, where they will be run after it. One
 * that was red then and is green later shows work; one that was green before shows none by itself. What is known of the
 * same files and the same command is not run again.
 */
export function baselineFirst(state: RunState, step: StepState, now: number): RunEvent[] | null {
  const { before, spec } = step;
  if (before.begun || !hasBaseline(state, step)) return null;
  // What is being kept just now shows whether the check has to be run at all.
  if (takesCheckpoints(state) && (areFilesInHand(state) || state.taken !== null)) return [];
  const known = [...before.checks, ...knownOf(state, treeDigest(state, spec.name))];
  const next = spec.checks.find((check) => !known.some((one) => isOf(one, check)));
  if (next === undefined) return homeFirst(state, step, known);
  if (isShowing(state, spec.name)) return [];
  const attempt = attemptId(spec.name, step.started + 1);
  const digest = treeDigest(state, spec.name);
  const effect = {
    ...checkOrder(state, step, { check: next, attempt, now }),
    phase: "before",
    ...(digest === null ? {} : { digest }),
  } as const;
  return [
    {
      type: "EffectIntended",
      data: { key: effectKey(`${attempt}/before`, "RunCheck", before.runs + 1), effect },
    },
  ];
}

/** A check is being run before the step's first attempt. */
export const isShowing = ({ effects }: RunState, step: string): boolean =>
  Object.values(effects).some(
    (effect) =>
      effect.kind === "RunCheck" &&
      (effect.phase === "before" || effect.phase === "home") &&
      effect.step === step,
  );

/** Whether the checks of a step are held against how things stood before it. */
const hasBaseline = (state: RunState, step: StepState): boolean =>
  state.settings.checks.baseline &&
  step.spec.checks.length > 0 &&
  (writes(step) || proposes(step)) &&
  !isPersons(state, step);

/** What a person does need not show in files. */
export const isPersons = ({ agents }: RunState, { spec }: StepState): boolean =>
  AGENTS[agents[spec.agent]?.use ?? "demo"].claim.person;

/** It did not pass; that there was nothing to run is no pass either. */
export const wasRed = (step: StepState, check: Check): boolean => {
  const shown = shownBefore(step, check);
  return (
    shown !== null && (shown.verdict === "fail" || (shown.verdict === "unknown" && shown.exitCode !== null))
  );
};

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
