import type { Watcher } from "./replay.ts";
import type { Witness } from "./witness.ts";

/**
 * A checkpoint stands in the journal only once its files are kept; agents begin, and runs end, only with what was done
 * before kept; and what was put back is what the checkpoint held.
 */
export function keptFirst({ workspace }: Witness): Watcher {
  const snapshots = new Map<string, string>();
  const orders = new Map<string, { readonly key: string; readonly checkpoint: string }>();
  const released = new Set<string>();
  const precious = new Set<string>();
  let unsaved = true;
  let wanted: string | null = null;
  return {
    see({ event: { type, data, seq, run }, state }, say) {
      if (type === "CheckpointTaken") {
        snapshots.set(data.checkpoint, data.snapshot.id);
        if (!workspace.holds(data.snapshot.id))
          say(`${data.checkpoint} is recorded at ${String(seq)} and its files were never kept`);
        unsaved = false;
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
      if (state.settings.checkpoints.when === "always") {
        if (type === "AttemptStarted" && unsaved)
          say(`${data.attempt} begins at ${String(seq)} and what was done before is not kept`);
        if (type === "RunCompleted" && unsaved) say(`the run ends at ${String(seq)} and is not kept`);
      }
      if (type === "StepSucceeded" || type === "RunRestored") unsaved = true;
    },
  };
}
