import { treeOf } from "../../src/fold/workspace/workspace-place.ts";
import { stepOfAttempt, type Watcher } from "../world/replay.ts";
import type { Witness } from "../world/witness.ts";

/**
 * A checkpoint stands in the journal only once its files are kept; agents begin, and runs end, only with what was done
 * before kept; and what was put back is what the checkpoint held.
 */
export function keptFirst({ workspace }: Witness): Watcher {
  const snapshots = new Map<string, string>();
  const orders = new Map<string, { readonly key: string; readonly checkpoint: string }>();
  const released = new Set<string>();
  const precious = new Set<string>();
  const trees = keptTrees();
  let wanted: string | null = null;
  return {
    see(moment, say) {
      const { type, data, seq, run } = moment.event;
      const { state } = moment;
      if (type === "CheckpointTaken") {
        snapshots.set(data.checkpoint, data.snapshot.id);
        if (!workspace.holds(data.snapshot.id))
          say(`${data.checkpoint} is recorded at ${String(seq)} and its files were never kept`);
      }
      if (type === "CheckpointsReleased")
        for (const id of data.checkpoints) {
          if (!["completed", "failed", "cancelled"].includes(state.status))
            say(`${id} is let go at ${String(seq)} although the run lives`);
          if (precious.has(id) || [...snapshots.keys()].slice(-state.settings.checkpoints.keep).includes(id))
            say(`${id} is let go at ${String(seq)} although it is to be kept`);
          released.add(id);
        }
      if (type === "CheckpointTaken" && (data.cause === "asked" || data.cause === "before_restore"))
        precious.add(data.checkpoint);
      if (type === "RestoreWanted" && released.has(data.checkpoint))
        say(`the run is to be put back to ${data.checkpoint} at ${String(seq)}, which was let go`);
      if (type === "RestoreWanted") wanted = data.checkpoint;
      if (type === "RestoreDropped") wanted = null;
      if (type === "EffectIntended" && data.effect.kind === "RestoreCheckpoint")
        orders.set(data.key, { key: data.key, checkpoint: data.effect.checkpoint });
      if (type === "RunRestored") {
        const put = [...orders.values()]
          .filter(({ checkpoint }) => checkpoint === data.checkpoint)
          .some(({ key }) => workspace.restored.get(`${run}/${key}`) === snapshots.get(data.checkpoint));
        if (!put) say(`the run is said to be put back to ${data.checkpoint} at ${String(seq)}, and was not`);
        wanted = null;
      }
      if (type === "AttemptStarted" && wanted !== null)
        say(`${data.attempt} begins at ${String(seq)} before the run is put back to ${wanted}`);
      trees.see(moment, say);
    },
  };
}

/**
 * Where each step has a tree of its own, what an agent finds there is kept, whoever else is done meanwhile: their work
 * is in the run's tree, which is kept before the run ends and before anybody who looks at it begins. Elsewhere all
 * share one tree, and a checkpoint is of that.
 */
function keptTrees(): Watcher {
  const SHARED = "";
  const unkept = new Set([SHARED]);
  /** Of the steps that have one. */
  const own = new Map<string, string>();
  /** Trees that were changed since their files were last asked to be kept. */
  const moved = new Set<string>();
  const move = (tree: string): void => {
    unkept.add(tree);
    moved.add(tree);
  };
  return {
    see({ event: { type, data, seq }, state }, say) {
      const isApart = state.settings.workspace.isolation === "attempt";
      const ofRun = isApart ? treeOf(state) : SHARED;
      const ofStep = (step: string): string => own.get(step) ?? ofRun;
      if (isApart && type === "WorktreeCreated") {
        if (data.step !== undefined) own.set(data.step, data.tree);
        move(data.tree);
      }
      if (type === "WorktreeRemoved")
        for (const [step, tree] of own) if (tree === data.tree) own.delete(step);
      if (type === "EffectIntended" && data.effect.kind === "TakeCheckpoint") moved.delete(data.effect.tree);
      if (type === "CheckpointTaken") {
        const tree = isApart ? data.tree : SHARED;
        if (!isApart || !moved.has(tree)) unkept.delete(tree);
      }
      if (isApart || state.settings.checkpoints.when === "always") {
        if (type === "AttemptStarted" && unkept.has(ofStep(data.step)))
          say(`${data.attempt} begins at ${String(seq)} and what was done before is not kept`);
        if (type === "RunCompleted" && unkept.has(ofRun))
          say(`the run ends at ${String(seq)} and is not kept`);
      }
      // An agent that ends has left something in the tree that it had for itself.
      if (isApart && type === "AttemptEnded") {
        const tree = own.get(stepOfAttempt(data.attempt));
        if (tree !== undefined) move(tree);
      }
      if (type === "StepSucceeded") move(ofRun);
      if (type === "RunRestored")
        move(isApart ? (state.checkpoints[data.checkpoint]?.tree ?? ofRun) : SHARED);
    },
  };
}
