import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { WorkspaceEffect } from "../../model/state/workspace-state.ts";
import { acceptWork } from "./accept-work.ts";
import { commitWork } from "./commit-work.ts";
import { freeTree, holdTree } from "./hold-tree.ts";
import { joinWork } from "./join-work.ts";
import { applyProposal, copyTree, dropCopy, keepProposal } from "./proposals.ts";
import type { Ports } from "../ports.ts";

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

const FILES_NAMED_MAX = 100;

interface Under {
  readonly run: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Makes, holds, prepares and gives back the place that a run works in. */
export function performInPlace(ports: Ports, effect: WorkspaceEffect, under: Under): Promise<EffectOutcome> {
  switch (effect.kind) {
    case "CreateWorktree":
      return createWorktree(ports, effect, under);
    case "HoldTree":
      return holdTree(ports, { ...effect, run: under.run }, under.signal);
    case "FreeTree":
      return freeTree(ports, effect);
    case "RunInTree":
      return runInTree(ports, effect, under);
    case "CarryFiles":
      return carryFiles(ports, effect, under);
    case "RemoveWorktree":
      return removeWorktree(ports, effect, under);
    case "CommitWork":
      return commitWork(ports, effect, under);
    case "AcceptWork":
      return acceptWork(ports, effect, under);
    case "JoinWork":
      return joinWork(ports, effect, under);
    case "CopyTree":
      return copyTree(ports, effect, under);
    case "KeepProposal":
      return keepProposal(ports, effect, under);
    case "ApplyProposal":
      return applyProposal(ports, effect, under);
    case "DropCopy":
      return dropCopy(ports, effect);
  }
}

async function createWorktree(
  { workspace }: Ports,
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
    ...(inside === "" ? {} : { inside }),
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

async function carryFiles(
  { workspace }: Ports,
  { project, tree, onto, nameOnly, paths, at }: EffectOf<"CarryFiles">,
  { run, key }: Under,
): Promise<EffectOutcome> {
  const { files, count, ...carried } = await workspace.carry({
    key: `${run}/${key}`,
    project,
    tree,
    atMs: at,
    ...(onto === undefined ? {} : { onto }),
    ...(nameOnly === undefined ? {} : { nameOnly }),
    ...(paths === undefined ? {} : { paths }),
  });
  const facts = { files: [...files], count, paths: [...carried.paths], left: [...carried.left] };
  const known = carried.install === undefined ? {} : { install: carried.install };
  const { uncarried } = carried;
  const asked = uncarried === undefined ? {} : { uncarried: uncarried.slice(0, FILES_NAMED_MAX) };
  return { kind: "done", place: { kind: "carried", ...facts, ...known, ...asked } };
}

async function runInTree(
  { quality }: Ports,
  { command, cwd, env, limitMs, outputBytesMax }: EffectOf<"RunInTree">,
  { run, key, signal }: Under,
): Promise<EffectOutcome> {
  const order = { key: `${run}/${key}`, command, cwd, limitMs, outputBytesMax };
  const evidence = await quality.check({ ...order, env: { HOLDFAST_RUN: run, ...env } }, signal);
  return { kind: "done", place: { kind: "ran", evidence } };
}

/** What is in no snapshot stays, and is reported (I10). */
async function removeWorktree(
  { workspace }: Ports,
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
