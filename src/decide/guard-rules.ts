import { isHooked } from "./judge-hooks.ts";
import type { RunState, StepState } from "../model/run-state.ts";
import type { GuardState } from "../model/kept-state.ts";
import { protectedRulesOf, SHARED_GIT_RULES } from "../model/protected.ts";
import { stepOfTree, treeOf, treeOfStep } from "./workspace-place.ts";
import { proposes, worksApart } from "./step-authority.ts";

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

/** The trees whose protected files are looked after, and by which rules: the run's own, and what its worktree shares. */
export function guardedTrees(state: RunState): { readonly tree: string; readonly rules: string[] }[] {
  if (!isGuarded(state)) return [];
  const { settings } = state;
  const { worktree } = state.workspace;
  const own = { tree: treeOf(state), rules: protectedRulesOf(settings.protected) };
  const steps = Object.values(state.workspace.trees)
    .filter(({ left }) => !left)
    .map(({ tree }) => ({ tree, rules: own.rules }));
  if (worktree === null || settings.protected.usual !== true) return [own, ...steps];
  return [own, ...steps, { tree: worktree.project, rules: [...SHARED_GIT_RULES] }];
}

/** Of those, the ones that matter to a step: not what other steps have for themselves. */
export function treesAround(state: RunState, step: string): string[] {
  const own = treeOfStep(state, step);
  return guardedTrees(state)
    .map(({ tree }) => tree)
    .filter((tree) => tree === own || stepOfTree(state, tree) === null);
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
export function exposeGuards(state: RunState, attempt: string, step: string): void {
  const own = treeOfStep(state, step);
  for (const [tree, guard] of Object.entries(state.guards)) {
    if (tree !== own && stepOfTree(state, tree) !== null) continue;
    guard.fresh = false;
    if (!guard.exposedTo.includes(attempt)) guard.exposedTo.push(attempt);
  }
}
