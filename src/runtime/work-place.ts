import type { Effect, EffectOutcome } from "../model/effects.ts";
import type { WorkspaceEffect } from "../model/workspace-state.ts";
import { acceptWork } from "./accept-work.ts";
import { commitWork } from "./commit-work.ts";
import { freeTree, holdTree } from "./hold-tree.ts";
import { joinWork } from "./join-work.ts";
import { applyProposal, copyTree, dropCopy, keepProposal } from "./proposals.ts";
import type { Rooms } from "./rooms.ts";

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

interface Under {
  readonly run: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Makes, holds, prepares and gives back the place that a run works in. */
export function performInPlace(rooms: Rooms, effect: WorkspaceEffect, under: Under): Promise<EffectOutcome> {
  switch (effect.kind) {
    case "CreateWorktree":
      return createWorktree(rooms, effect, under);
    case "HoldTree":
      return holdTree(rooms, { ...effect, run: under.run }, under.signal);
    case "FreeTree":
      return freeTree(rooms, effect);
    case "RunInTree":
      return runInTree(rooms, effect, under);
    case "RemoveWorktree":
      return removeWorktree(rooms, effect, under);
    case "CommitWork":
      return commitWork(rooms, effect, under);
    case "AcceptWork":
      return acceptWork(rooms, effect, under);
    case "JoinWork":
      return joinWork(rooms, effect, under);
    case "CopyTree":
      return copyTree(rooms, effect, under);
    case "KeepProposal":
      return keepProposal(rooms, effect, under);
    case "ApplyProposal":
      return applyProposal(rooms, effect, under);
    case "DropCopy":
      return dropCopy(rooms, effect);
  }
}

async function createWorktree(
  { workspace }: Rooms,
  { project, folder, branch, goOn, ports, name, from }: EffectOf<"CreateWorktree">,
  { run, key }: Under,
): Promise<EffectOutcome> {
  const place = await workspace.placeFor({
    project,
    name: name ?? run,
    ...(folder === undefined ? {} : { folder }),
  });
  const { project: root, tree, inside } = place;
  const made = await workspace.createWorktree({
    key: `${run}/${key}`,
    project: root,
    tree,
    branch,
    ports,
    ...(goOn === true ? { goOn } : {}),
    ...(from === undefined ? {} : { from }),
  });
  const worktree = {
    project: made.project,
    tree: made.tree,
    cwd: inside === "" ? made.tree : `${made.tree}/${inside}`,
    branch: made.branch,
    from: made.from,
    ports: made.ports,
  };
  return { kind: "done", place: { kind: "created", worktree } };
}

async function runInTree(
  { quality }: Rooms,
  { command, cwd, env, limitMs, outputBytesMax }: EffectOf<"RunInTree">,
  { run, key, signal }: Under,
): Promise<EffectOutcome> {
  const order = { key: `${run}/${key}`, command, cwd, limitMs, outputBytesMax };
  const evidence = await quality.check({ ...order, env: { HOLDFAST_RUN: run, ...env } }, signal);
  return { kind: "done", place: { kind: "ran", evidence } };
}

/** What is in no snapshot stays, and is told (I10). */
async function removeWorktree(
  { workspace }: Rooms,
  { project, tree, at }: EffectOf<"RemoveWorktree">,
  { run, key }: Under,
): Promise<EffectOutcome> {
  const removal = await workspace.removeWorktree({ key: `${run}/${key}`, project, tree, atMs: at });
  if (removal.kind === "removed")
    return { kind: "done", place: { kind: "removed", snapshot: removal.snapshot } };
  const { count, first } = removal.because;
  const why = `${String(count)} paths are in no snapshot, such as ${first[0]?.path ?? "unknown"} (${first[0]?.reason ?? "unknown"})`;
  return { kind: "done", place: { kind: "kept", snapshot: removal.snapshot, why } };
}
