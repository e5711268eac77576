import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { treeOf } from "../../fold/workspace/workspace-place.ts";

/**
 * Runs that work in worktrees of one repository tell each other what they have changed (W8): after each checkpoint, and
 * every so often while agents work. What two have changed is told as soon as one of them sees it, and not only when the
 * work is accepted.
 */
export function decideOverlap(state: RunState, now: number): RunEvent[] {
  const { overlap, workspace } = state;
  if (workspace.worktree === null || isUnderWay(state)) return [];
  if (overlap.report !== null) return [{ type: "OverlapFound", data: overlap.report }];
  const snapshot = lastSnapshot(state);
  if (overlap.base === null || snapshot === null) return [];
  if (snapshot === overlap.told && now < nextOverlapLook(state)) return [];
  const effect = {
    kind: "CompareWork",
    project: workspace.worktree.project,
    tree: workspace.worktree.tree,
    since: overlap.since,
    base: overlap.base,
    snapshot,
  } as const;
  const key = effectKey("overlap", "CompareWork", overlap.looks + 1);
  return [{ type: "EffectIntended", data: { key, effect } }];
}

/** When agents at work have their changes held against those of others next. */
export function nextOverlapLook(state: RunState): number {
  const { worktree } = state.workspace;
  if (worktree === null || state.overlap.base === null || isUnderWay(state)) return Infinity;
  if (Object.keys(state.attempts).length === 0) return Infinity;
  return state.overlap.lookedAt + state.settings.conflict.everyMs;
}

const isUnderWay = (state: RunState): boolean =>
  Object.values(state.effects).some(({ kind }) => kind === "CompareWork");

/** Of the run's tree as it was kept last. */
function lastSnapshot(state: RunState): string | null {
  const tree = treeOf(state);
  const kept = Object.values(state.checkpoints).filter((one) => one.tree === tree);
  return kept.at(-1)?.snapshot.id ?? null;
}
