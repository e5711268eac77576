import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { treeOfStep } from "../workspace/workspace-place.ts";

/** Files were kept: those whose work is about to be checked, or who have just ended, are seen as they left them. */
export function noteSeen(
  state: RunState,
  { checkpoint, tree, snapshot }: EventData<"CheckpointTaken">,
): void {
  const nth = Number(checkpoint.slice(1));
  for (const name in state.checking) {
    const checking = state.steps[name]?.checking ?? null;
    if (checking !== null && checking.runs === 0 && nth > checking.since && treeOfStep(state, name) === tree)
      checking.tree ??= snapshot.digest;
  }
  for (const attempt of Object.values(state.attempts))
    if (attempt.left !== null && nth > attempt.left.since && treeOfStep(state, attempt.step) === tree)
      attempt.left.tree ??= snapshot.digest;
}
