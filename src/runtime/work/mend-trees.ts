import type { OwnTree } from "../../decide/own-trees.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { Remade } from "../../model/effects/workspace-effects.ts";
import { NOT_TRUSTED, type RunSource, type Started } from "../../model/flow/bindings.ts";
import type { Ports } from "../ports.ts";

/** What effects of a run need to know of it. */
export interface Needs {
  readonly source: RunSource | null;
  readonly trees: readonly OwnTree[];
}

/** These make trees or give them back; what is missing is theirs to see. */
const NOT_MENDED: ReadonlySet<Effect["kind"]> = new Set([
  "CreateWorktree",
  "RemoveWorktree",
  "HoldTree",
  "FreeTree",
  "DropCopy",
  "UploadFiles",
  "FetchFiles",
]);

/** Makes again what somebody has deleted of the worktrees that an effect needs (I3). */
export async function mendTrees(
  { workspace, world }: Ports,
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

/**
 * Compares what an effect would have executed or obeyed with what a person trusted, at the last moment before it is
 * performed: by now the files may be others. Null where all is trusted, or nothing of the repository takes part.
 */
export function distrusted(
  { trust }: Pick<Ports, "trust">,
  source: RunSource | null,
  effect: Effect,
): EffectOutcome | null {
  const started = startedBy(effect);
  if (source === null || started === null) return null;
  const text = trust?.(source, started) ?? null;
  return text === null ? null : { kind: "failed", terminal: true, text: `${NOT_TRUSTED}${text}` };
}

/** A reviewer works in a copy of the tree, and obeys the configuration that is part of the copy. */
function startedBy(effect: Effect): Started | null {
  if (effect.kind === "StartAgent" || effect.kind === "RunHook" || effect.kind === "RunInTree")
    return { kind: "in tree", cwd: effect.cwd };
  if (effect.kind === "AskReview") return { kind: "in tree", cwd: effect.tree };
  if (effect.kind === "AskTriage") return { kind: "apart" };
  if (effect.kind === "RunCheck" || effect.kind === "RunAtGate")
    return { kind: "command", cwd: effect.cwd, command: effect.command };
  return null;
}
