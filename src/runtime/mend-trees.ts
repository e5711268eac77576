import type { RunSource } from "../model/bindings.ts";
import type { Effect, EffectOutcome } from "../model/effects.ts";
import type { Remade } from "../model/workspace-effects.ts";
import type { RunState } from "../model/run-state.ts";
import type { Rooms } from "./rooms.ts";

/** A worktree of a run, and the last commit that its journal knows of it. */
interface OwnTree {
  readonly project: string;
  readonly tree: string;
  readonly branch: string;
  readonly commit: string;
}

/** What effects of a run need to know of it. */
export interface Needs {
  readonly source: RunSource | null;
  readonly trees: readonly OwnTree[];
}

export function ownTrees({ workspace: { worktree, trees, commit } }: RunState): readonly OwnTree[] {
  const steps = Object.values(trees).map((one) => ({ ...one, commit: one.from }));
  if (worktree === null) return steps;
  const last = commit.last?.branch === worktree.branch ? commit.last.commit : worktree.from;
  return [{ ...worktree, commit: last }, ...steps];
}

/** These make trees or give them back; what is missing is theirs to see. */
const NOT_MENDED: ReadonlySet<Effect["kind"]> = new Set([
  "CreateWorktree",
  "RemoveWorktree",
  "HoldTree",
  "FreeTree",
  "DropCopy",
]);

/** Makes again what somebody has deleted of the worktrees that an effect needs (I3). */
export async function mendTrees(
  { workspace, world }: Rooms,
  effect: Effect,
  trees: readonly OwnTree[],
): Promise<Remade> {
  if (NOT_MENDED.has(effect.kind)) return [];
  const places = placesOf(effect);
  const remade: Remade = [];
  for (const { project, tree, branch, commit } of trees) {
    if (!places.some((place) => place === tree || place.startsWith(`${tree}/`))) continue;
    const mended = await workspace.mendWorktree({ project, tree, branch, commit, atMs: world.now() });
    if (mended !== null) remade.push({ tree, ...mended });
  }
  return remade;
}

const placesOf = (effect: Effect): string[] =>
  [
    "tree" in effect ? effect.tree : undefined,
    "cwd" in effect ? effect.cwd : undefined,
    "into" in effect ? effect.into : undefined,
  ].filter((place) => place !== undefined);

export const withRemade = (outcome: EffectOutcome, remade: Remade): EffectOutcome =>
  remade.length === 0 || outcome.kind === "in_doubt" ? outcome : { ...outcome, remade };
