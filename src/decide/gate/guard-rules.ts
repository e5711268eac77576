import { isGuarded } from "../../fold/gate/evolve-guard.ts";
import { stepOfTree, treeOf, treeOfStep } from "../../fold/workspace/workspace-place.ts";
import { protectedRulesOf, SHARED_GIT_RULES } from "../../model/flow/protected.ts";
import type { RunState } from "../../model/state/run-state.ts";

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

/** By which rules a tree is looked at, no matter who looks. */
export const rulesOfTree = (state: RunState, tree: string): string[] =>
  guardedTrees(state).find((one) => one.tree === tree)?.rules ?? protectedRulesOf(state.settings.protected);
