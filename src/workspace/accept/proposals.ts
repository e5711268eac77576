import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { recordAnswer, recordedAnswer } from "./commit-orders.ts";
import { compareSnapshots } from "../snapshot/compare-snapshots.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { protectedRules } from "../protect/protected-rules.ts";
import { restoreTree } from "../snapshot/restore-tree.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { forgetTree, takeSnapshot } from "../snapshot/take-snapshot.ts";
import type { ApplyOrder, Applied, Copy, CopyOrder, ProposalOrder, Proposed } from "./proposal-orders.ts";

const PATCH_BYTES_MAX = 64 * 2 ** 20;

/** Where copies stand; nothing else is removed by `dropCopy`. */
const copiesFolder = (home: string): string => path.join(home, "copies");

/** A copy of a tree as it is now, outside of it, with no way from it into the user's repository. */
export async function copyTree(handle: SnapshotHandle, home: string, order: CopyOrder): Promise<Copy> {
  const { store, world } = handle;
  const { key, project, tree, atMs } = order;
  const recorded = recordedAnswer<Copy>(store, "copy", key);
  if (recorded !== null) return recorded;
  const taken = await takeSnapshot(handle, { key: `${key}/base`, project, tree, atMs });
  world.crashPoint("workspace.copy.kept");
  const copy = path.join(
    copiesFolder(home),
    `${path.basename(project)}-${hashOf(project).slice(0, 8)}`,
    order.name,
  );
  mkdirSync(copy, { recursive: true });
  await restoreTree(handle, { key: `${key}/fill`, project, tree: copy, atMs, snapshot: taken.id });
  world.crashPoint("workspace.copy.filled");
  const commit = taken.head.kind === "git" ? taken.head.commit : null;
  return recordAnswer(store, "copy", key, { tree: copy, base: taken.id, commit } satisfies Copy);
}

/** How a copy differs from its base, as a patch; reads only, but for the snapshot of the copy. */
export async function propose(handle: SnapshotHandle, order: ProposalOrder): Promise<Proposed> {
  const { key, project, copy, base, atMs } = order;
  const taken = await takeSnapshot(handle, { key, project, tree: copy, atMs });
  handle.world.crashPoint("workspace.proposal.kept");
  const { changes, count } = await compareSnapshots(handle, base, taken.id);
  const own = changes.filter(({ path: name }) => !isOfGit(name));
  const problems = [
    ...(count > changes.length
      ? [`it changes ${String(count)} files, more than can be proposed at once`]
      : []),
    ...taken.skipped.first
      .filter(({ reason }) => reason !== "special")
      .map(({ path: name, reason }) => `${name} cannot be kept (${reason})`),
    ...own
      .filter(({ path: name }) => name.includes("\ufffd"))
      .map(({ path: name }) => `${name} has a name that is no UTF-8`),
  ];
  const rules = protectedRules(order.rules);
  const guarded = own.filter(({ path: name }) => rules.covers(name)).map(({ path: name }) => name);
  const patch = problems.length === 0 ? await patchOf(handle.store.gitDir, base, taken.id) : Buffer.alloc(0);
  return { snapshot: taken.id, changes: own, protected: guarded, problems, patch };
}

/** Repositories inside of the tree are not part of what is proposed. */
const isOfGit = (name: string): boolean => /(^|\/)\.git(\/|$)/.test(name);

async function patchOf(gitDir: string, from: string, to: string): Promise<Buffer> {
  const [before, after] = [await filesOf(gitDir, from), await filesOf(gitDir, to)];
  const args = ["diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff"];
  const call = { gitDir, args: [...args, "--no-textconv", before, after], outputBytesMax: PATCH_BYTES_MAX };
  return (await runGit({ ...call, limitMs: LONG_LIMIT_MS })).output;
}

/** A snapshot holds more than files; one of an empty tree holds none. */
export async function filesOf(gitDir: string, snapshot: string): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", `${snapshot}:files`];
  const { code, output } = await runGit({ gitDir, args, answers: [1, 128] });
  const found = code === 0 ? output : (await runGit({ gitDir, args: ["mktree"], input: "" })).output;
  return found.toString().trim();
}

/**
 * Makes the files of a tree what a proposal has made of them, if none of them has become something else since, also
 * meanwhile. What is overwritten is in a snapshot first. Dying in between leaves whole files of one side or the other:
 * the same order again goes on, since a file that is as proposed already is no conflict.
 */
export async function applyProposal(handle: SnapshotHandle, order: ApplyOrder): Promise<Applied> {
  const { store, world } = handle;
  const { key, project, tree, base, snapshot, atMs } = order;
  const recorded = recordedAnswer<Applied>(store, "apply", key);
  if (recorded !== null) return recorded;
  const now = await takeSnapshot(handle, { key: `${key}/now`, project, tree, atMs });
  world.crashPoint("workspace.apply.looked");
  const proposed = await pathsBetween(handle, base, snapshot);
  const moved = new Set(await pathsBetween(handle, base, now.id));
  const differs = new Set(await pathsBetween(handle, now.id, snapshot));
  const clashing = proposed.filter(
    (name) => differs.has(name) && [...above(name)].some((one) => moved.has(one)),
  );
  if (clashing.length > 0) return { kind: "conflict", files: clashing };
  const paths = proposed.filter((name) => !isOfGit(name));
  const place = { project, tree, atMs, paths };
  const write = { ...place, key: `${key}/write`, snapshot, expected: now.id };
  const restored = await restoreTree(handle, write);
  world.crashPoint("workspace.apply.written");
  if (restored.left.count > 0) {
    // All of it or nothing: what was written already goes back, but for what somebody has changed since.
    await restoreTree(handle, { ...place, key: `${key}/undo`, snapshot: now.id, expected: snapshot });
    return { kind: "conflict", files: restored.left.first.map(({ path: name }) => name) };
  }
  return recordAnswer(store, "apply", key, {
    kind: "applied",
    before: restored.before,
    files: paths,
  } satisfies Applied);
}

/** A file stands where a folder was, or the other way round: both are in each other's way. */
function* above(name: string): Generator<string> {
  for (let at = name; at !== "." && at !== ""; at = path.posix.dirname(at)) yield at;
}

async function pathsBetween(handle: SnapshotHandle, from: string, to: string): Promise<string[]> {
  const { changes, count } = await compareSnapshots(handle, from, to);
  if (count > changes.length)
    throw new Fault("refused", `${String(count)} files differ; expected fewer: too many to be compared`);
  return changes.map(({ path: name }) => name);
}

/** Removes a copy that was made here. One that cannot be removed is left: nobody works in it. */
export function dropCopy(handle: SnapshotHandle, home: string, tree: string): boolean {
  const inside = path.relative(copiesFolder(home), tree);
  if (inside === "" || inside.startsWith("..") || path.isAbsolute(inside)) return false;
  try {
    rmSync(tree, { recursive: true, force: true });
  } catch {
    // Determined by what is answered.
  }
  forgetTree(handle, tree);
  return !existsSync(tree);
}
