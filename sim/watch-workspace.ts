import type { Watcher } from "./replay.ts";
import type { Witness } from "./witness.ts";

/**
 * Agents begin only in a place that is ready: in the run's own worktree, which stands; with the tree held by whoever
 * owns the run; with its commands done. A worktree is said to be removed only once what was in it is kept.
 */
export function placeFirst({ workspace }: Witness): Watcher {
  let epoch = 0;
  let heldIn = -1;
  let tree: string | null = null;
  let isSetUp = false;
  return {
    see({ event: { type, data, seq }, state }, say) {
      const { isolation, lock, setup } = state.settings.workspace;
      if (type === "RunClaimed") epoch = data.epoch;
      if (type === "WorkspaceHeld") heldIn = epoch;
      if (type === "WorkspaceFreed") heldIn = -1;
      if (type === "WorktreeCreated") {
        tree = data.tree;
        isSetUp = false;
      }
      if (type === "WorkspaceCommandEnded" && data.part === "setup")
        isSetUp ||= data.evidence.verdict === "pass";
      if (type === "WorktreeRemoved") {
        const kept = workspace.removed.get(data.tree);
        if (kept === undefined || !workspace.holds(kept))
          say(`${data.tree} is said to be removed at ${String(seq)}, and what was in it is not kept`);
        tree = null;
      }
      if (type !== "AttemptStarted") return;
      if (isolation === "run" && tree === null)
        say(`${data.attempt} begins at ${String(seq)} and the run has no worktree`);
      if (lock === "always" && heldIn !== epoch)
        say(`${data.attempt} begins at ${String(seq)} and its tree is not held in epoch ${String(epoch)}`);
      if (setup !== undefined && !isSetUp)
        say(`${data.attempt} begins at ${String(seq)} before the setup has passed`);
    },
  };
}
