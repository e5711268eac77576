import { checkpointKey } from "../../model/effects/checkpoint.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { CheckpointState } from "../../model/state/kept-state.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import type { JoinSnapshot } from "../../model/state/workspace-state.ts";

/** So often the files of old checkpoints are tried to be freed; then they stay until the run is worked again. */
const TRIES_MAX = 3;

/**
 * Of a run that lives every checkpoint is kept; of one that has ended the last few, and everything people may look for
 * and find nowhere else. From the instant that one is let go it cannot be restored; its files are freed after that.
 *
 * On disk at each instant: that they are let go together with the wish to free them, then the store without them.
 * Killed in between, the next supervisor finds the wish open and frees what is left; too much may be kept, never too
 * little.
 */
export function decideRetention(state: RunState): RunEvent[] {
  if (!isEnded(state.status) || state.restoring !== null || state.taken !== null) return [];
  const isUnderWay = Object.values(state.effects).some(({ kind }) => kind === "ReleaseCheckpoints");
  if (isUnderWay || state.releaseFailures >= TRIES_MAX) return [];
  const old = state.releasing.length > 0 ? [] : releasable(state);
  const released: RunEvent[] =
    old.length === 0 ? [] : [{ type: "CheckpointsReleased", data: { checkpoints: old.map(({ id }) => id) } }];
  const wanted = [...state.releasing, ...old.map(({ id, project }) => ({ checkpoint: id, project }))];
  const snapshots = [
    ...wanted.map(({ checkpoint, project }) => ({ project, key: checkpointKey(checkpoint) })),
    ...settledProposals(state),
    ...Object.entries(state.seen).map(([slot, project]) => ({ project, key: slot })),
    ...releasableJoins(state, bases(state)).map(({ project, key }) => ({ project, key })),
  ];
  if (snapshots.length === 0) return [];
  const key = effectKey("checkpoint", "ReleaseCheckpoints", state.releases + 1);
  return [
    ...released,
    { type: "EffectIntended", data: { key, effect: { kind: "ReleaseCheckpoints", snapshots } } },
  ];
}

/** What a person asked for, and what a restore has overwritten, may be nowhere else. */
const staysAnyway = ({ cause }: CheckpointState): boolean => cause === "asked" || cause === "before_restore";

/** What is to be committed, or was changed, is counted from there, also in trees of steps that are not done. */
const bases = ({ workspace, overlap }: RunState): readonly (string | null | undefined)[] => [
  workspace.commit.base?.snapshot,
  overlap.base,
  ...Object.values(workspace.trees).map(({ base }) => base),
];

function releasable(state: RunState): CheckpointState[] {
  const { checkpoints, settings } = state;
  const counted = bases(state);
  const inOrder = Object.values(checkpoints).sort((one, other) => one.seq - other.seq);
  return inOrder
    .slice(0, -settings.checkpoints.keep)
    .filter((one) => !staysAnyway(one) && !counted.includes(one.snapshot.id));
}

/** What proposals were made of, once none is open: their patches are kept, and what applying has overwritten. */
function settledProposals({ proposals }: RunState): { readonly project: string; readonly key: string }[] {
  const { made, copies, wanted, snapshots } = proposals;
  const isOpen = wanted !== null || Object.values(made).some(({ status }) => status === "open");
  return isOpen || Object.keys(copies).length > 0 ? [] : snapshots;
}

/** Those that nothing is counted from, of joins that are over. */
const releasableJoins = (
  { workspace, effects }: RunState,
  bases: readonly (string | null | undefined)[],
): JoinSnapshot[] =>
  workspace.joins.filter(
    ({ of, snapshot }) => !Object.hasOwn(effects, of) && (snapshot === null || !bases.includes(snapshot)),
  );
