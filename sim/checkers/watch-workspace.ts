import type { Watcher } from "../world/replay.ts";
import type { Witness } from "../world/witness.ts";

/**
 * Agents begin only in a place that is ready: in the run's own worktree, which stands; with the tree held by whoever
 * owns the run; with its commands done. A worktree is said to be removed only once what was in it is kept.
 */
export function placeFirst({ workspace }: Witness): Watcher {
  let epoch = 0;
  let heldIn = -1;
  let tree: string | null = null;
  let isSetUp = false;
  const joined = new Set<string>();
  /** Of steps with trees of their own: those that stand, and whether they are set up. */
  const trees = new Map<string, { readonly tree: string; isSetUp: boolean }>();
  return {
    see({ event: { type, data, seq }, state }, say) {
      const { isolation, lock, setup, cleanup } = state.settings.workspace;
      if (type === "RunClaimed") epoch = data.epoch;
      if (type === "WorkspaceHeld") heldIn = epoch;
      if (type === "WorkspaceFreed") heldIn = -1;
      if (type === "WorktreeCreated" && data.step !== undefined) {
        if (trees.has(data.step) && cleanup !== "never")
          say(`${data.step} has a second tree at ${String(seq)} beside its first`);
        trees.set(data.step, { tree: data.tree, isSetUp: false });
      } else if (type === "WorktreeCreated") {
        tree = data.tree;
        isSetUp = false;
      }
      if (type === "WorkspaceCommandEnded" && data.part === "setup") {
        const of = [...trees.values()].find((one) => one.tree === data.tree);
        if (of !== undefined) of.isSetUp ||= data.evidence.verdict === "pass";
        else isSetUp ||= data.evidence.verdict === "pass";
      }
      if (type === "WorktreeRemoved") {
        const kept = workspace.removed.get(data.tree);
        if (kept === undefined || !workspace.holds(kept))
          say(`${data.tree} is said to be removed at ${String(seq)}, and what was in it is not kept`);
        const of = [...trees].find(([, one]) => one.tree === data.tree)?.[0];
        if (of === undefined) tree = null;
        else if (state.steps[of]?.live !== null)
          say(`the tree of ${of}, which is at work, is removed at ${String(seq)}`);
        else trees.delete(of);
      }
      if (type === "StepSucceeded" && trees.has(data.step) && !joined.has(data.attempt))
        say(`${data.step} is done at ${String(seq)}, and its work is not on the run's branch`);
      if (type === "WorkJoined") joined.add(data.attempt);
      if (type !== "AttemptStarted") return;
      if ((isolation === "run" || isolation === "attempt") && tree === null)
        say(`${data.attempt} begins at ${String(seq)} and the run has no worktree`);
      const own = trees.get(data.step);
      const isApart = isolation === "attempt" && state.steps[data.step]?.spec.authority === "writes";
      if (isApart && own === undefined)
        say(`${data.attempt} begins at ${String(seq)} and its step has no worktree`);
      if (isApart && setup !== undefined && own?.isSetUp === false)
        say(`${data.attempt} begins at ${String(seq)} before the setup of its tree has passed`);
      if (lock === "always" && heldIn !== epoch)
        say(`${data.attempt} begins at ${String(seq)} and its tree is not held in epoch ${String(epoch)}`);
      if (setup !== undefined && !isSetUp)
        say(`${data.attempt} begins at ${String(seq)} before the setup has passed`);
    },
  };
}
