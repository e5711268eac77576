import type { GuardState } from "../../model/state/kept-state.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { proposes, worksApart } from "../step/step-authority.ts";
import { stepOfTree, treeOfStep } from "../workspace/workspace-place.ts";
import { isHooked } from "./evolve-hook.ts";

export const isGuarded = ({ settings }: RunState): boolean =>
  settings.protected.usual === true || settings.protected.paths.length > 0;

/** Whether a step's work is looked at before it counts: by checks, for its outputs, or for protected files. */
const WORK_POINTS = ["before_validation", "after_validation", "before_acceptance"] as const;

export const isChecked = (state: RunState, step: StepState): boolean =>
  step.spec.checks.length > 0 ||
  (step.spec.outputs ?? []).length > 0 ||
  (step.spec.reviewers ?? []).length > 0 ||
  proposes(step) ||
  worksApart(state.settings, step) ||
  isGuarded(state) ||
  isHooked(state, ...WORK_POINTS);

export const newGuard = (): GuardState => ({
  trusted: null,
  checkedAt: 0,
  fresh: false,
  exposedTo: [],
  lookedWith: [],
  report: null,
  failures: 0,
  lastFailure: "",
  found: 0,
  bringBack: false,
  stirred: false,
  withdrawn: [],
});

/** An agent that begins may change what it finds. */
export function exposeGuards(state: RunState, attempt: string, step: string): void {
  const own = treeOfStep(state, step);
  for (const [tree, guard] of Object.entries(state.guards)) {
    if (tree !== own && stepOfTree(state, tree) !== null) continue;
    guard.fresh = false;
    if (!guard.exposedTo.includes(attempt)) guard.exposedTo.push(attempt);
  }
}
