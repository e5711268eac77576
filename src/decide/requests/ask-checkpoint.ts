import { checkpointId } from "../../model/effects/checkpoint.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { areFilesInHand, restoredTree, takeCheckpoint } from "../workspace/decide-checkpoints.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";
import { homeOf, isTreeAway } from "../workspace/workspace-place.ts";
import { lastKept, stepOfTree, treeOf } from "../../fold/workspace/workspace-place.ts";

export function askCheckpoint(
  state: RunState,
  { note }: Extract<RunRequest, { kind: "checkpoint" }>,
): Verdict {
  if (areFilesInHand(state))
    return refusedFor("checkpoint is refused: files are being kept or restored just now");
  const id = checkpointId(state.checkpointed + 1);
  return answered(`checkpoint ${id} is being taken`, takeCheckpoint(state, "asked", state.at, { note }));
}

/** Nobody may be at work in the tree; the run is at rest afterwards, so that a person can look before it goes on. */
export function askRestore(
  state: RunState,
  { checkpoint }: Extract<RunRequest, { kind: "restore" }>,
  by: string,
): Verdict {
  const ids = Object.keys(state.checkpoints);
  const id = checkpoint ?? (lastKept(state) ?? lastKept(state, homeOf(state)))?.id;
  if (id === undefined || !Object.hasOwn(state.checkpoints, id))
    return refusedFor(
      `restore is refused: there is no checkpoint ${checkpoint ?? "yet"}; there are: ${ids.slice(-10).join(", ") || "none"}`,
    );
  if (areFilesInHand(state))
    return refusedFor("restore is refused: files are being kept or restored just now");
  const tree = state.checkpoints[id]?.tree ?? "";
  if (isGone(state, tree))
    return refusedFor(
      `restore is refused: ${tree}, which ${id} is of, is no more; the work of a step is in the run's tree once it is done, expected one of: ${ids.filter((one) => !isGone(state, state.checkpoints[one]?.tree ?? "")).join(", ") || "none"}`,
    );
  const live = Object.keys(state.attempts);
  if (live.length > 0)
    return refusedFor(`restore is refused: ${live.join(", ")} is at work in the tree; pause the run first`, [
      "paused",
    ]);
  const open: RunEvent[] = isEnded(state.status) ? [{ type: "RunReopened", data: {} }] : [];
  return answered(`the run is being put back to ${id}; it is paused, and goes on with resume`, [
    ...open,
    // Where the run's worktree was removed nothing is there to be kept: it comes back first.
    ...(isTreeAway(state, id)
      ? []
      : takeCheckpoint(state, "before_restore", state.at, restoredTree(state, id))),
    { type: "RestoreWanted", data: { checkpoint: id, by } },
  ]);
}

/** A step's own worktree that does not stand any more. */
const isGone = (state: RunState, tree: string): boolean =>
  state.settings.workspace.isolation === "attempt" &&
  tree !== homeOf(state) &&
  tree !== treeOf(state) &&
  stepOfTree(state, tree) === null;
