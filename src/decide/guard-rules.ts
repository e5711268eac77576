import { isHooked } from "./judge-hooks.ts";
import type { RunState, StepState } from "../model/run-state.ts";
import type { GuardState } from "../model/kept-state.ts";
import { protectedRulesOf, SHARED_GIT_RULES } from "../model/protected.ts";
import { treeOf } from "./workspace-place.ts";
import { proposes } from "./authority.ts";

export const isGuarded = ({ settings }: RunState): boolean =>
  settings.protected.usual === true || settings.protected.paths.length > 0;

/** Whether a step's work is looked at before it counts: by checks, for its outputs, or for protected files. */
const WORK_POINTS = ["before_validation", "after_validation", "before_acceptance"] as const;

export const isChecked = (state: RunState, step: StepState): boolean =>
  step.spec.checks.length > 0 ||
  (step.spec.outputs ?? []).length > 0 ||
  (step.spec.reviewers ?? []).length > 0 ||
  proposes(step) ||
  isGuarded(state) ||
  isHooked(state, ...WORK_POINTS);

/** The trees whose protected files are looked after, and by which rules: the run's own, and what its worktree shares. */
export function guardedTrees(state: RunState): { readonly tree: string; readonly rules: string[] }[] {
  if (!isGuarded(state)) return [];
  const { settings } = state;
  const { worktree } = state.workspace;
  const own = { tree: treeOf(state), rules: protectedRulesOf(settings.protected) };
  if (worktree === null || settings.protected.usual !== true) return [own];
  return [own, { tree: worktree.project, rules: [...SHARED_GIT_RULES] }];
}

/** By which rules a tree is looked at, whoever looks. */
export const rulesOfTree = (state: RunState, tree: string): string[] =>
  guardedTrees(state).find((one) => one.tree === tree)?.rules ?? protectedRulesOf(state.settings.protected);

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
});

/** An agent that begins may change what it finds. */
export function exposeGuards(state: RunState, attempt: string): void {
  for (const guard of Object.values(state.guards)) {
    guard.fresh = false;
    if (!guard.exposedTo.includes(attempt)) guard.exposedTo.push(attempt);
  }
}
