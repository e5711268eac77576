import type { EventData } from "../../model/events/events.ts";
import type { CheckpointState } from "../../model/state/kept-state.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { newGuard } from "../gate/evolve-guard.ts";

type Carried = NonNullable<EventData<"RunMoved">["carried"]>;

/** What of a run's state holds on another host, since its files were brought there. */
interface Along {
  readonly commit: RunState["workspace"]["commit"];
  readonly install: RunState["workspace"]["install"];
  readonly checkpoints: RunState["checkpoints"];
  readonly artifacts: RunState["artifacts"];
}

/** Checkpoints and the snapshot that changes are counted from, as far as they were part of the upload. */
export function takeAlong(state: RunState, carried: Carried): Along {
  const { workspace, checkpoints, artifacts, upload } = state;
  const { snapshot = "", others = [] } = upload.last?.effect ?? {};
  const sent = new Set([snapshot, ...others]);
  const kept = Object.entries(checkpoints).filter(
    ([
      ,
      {
        tree,
        snapshot: { id },
      },
    ]) => tree === workspace.worktree?.tree && sent.has(id),
  );
  const placed = ({ snapshot: facts, ...one }: CheckpointState): CheckpointState => ({
    ...one,
    tree: carried.worktree.tree,
    project: carried.worktree.project,
    snapshot: { ...facts, id: carried.without[facts.id] ?? facts.id },
  });
  return {
    commit: commitAsOf(state, carried, sent),
    install: workspace.install,
    checkpoints: Object.fromEntries(kept.map(([id, one]) => [id, placed(one)])),
    artifacts,
  };
}

/** What was committed by the time of the upload; what people want of the work is wanted still. */
function commitAsOf(
  { workspace: { commit: now }, upload }: RunState,
  { worktree, without }: Carried,
  sent: ReadonlySet<string>,
): Along["commit"] {
  const then = upload.last?.commit ?? now;
  const isSent = then.base !== null && sent.has(then.base.snapshot);
  const snapshot = then.base?.snapshot ?? "";
  const base = isSent ? { tree: worktree.tree, snapshot: without[snapshot] ?? snapshot } : null;
  const isAsked = now.wanted !== null && now.wanted.by !== "holdfast";
  return {
    ...then,
    base,
    ...(base === null ? { startsOver: true as const } : {}),
    ...(now.endsAs === undefined ? {} : { endsAs: now.endsAs }),
    accepted: now.accepted,
    wanted:
      isAsked && now.wanted !== null
        ? { ...now.wanted, checkpoint: null, committed: now.wanted.upTo !== null }
        : null,
  };
}

/** The run stands in its worktree again; what is run before the work is run again. */
export function unpack(state: RunState, { worktree, trusted }: Carried, along: Along): void {
  const { workspace } = state;
  workspace.worktree = worktree;
  workspace.lastTree = worktree.tree;
  workspace.carried = true;
  workspace.install = along.install;
  workspace.commit = along.commit;
  state.cwd = worktree.cwd;
  state.checkpoints = along.checkpoints;
  state.artifacts = along.artifacts;
  if (trusted !== null) state.guards[worktree.tree] = { ...newGuard(), trusted };
}
