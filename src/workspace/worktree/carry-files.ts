import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { recordAnswer, recordedAnswer } from "../accept/commit-orders.ts";
import { keepCarried } from "./carried-state.ts";
import type { Carried, CarryOrder } from "./carry-orders.ts";
import { compareSnapshots } from "../snapshot/compare-snapshots.ts";
import { copyFolder } from "./copy-folder.ts";
import { installCommand, installedFolders } from "./detect-dependencies.ts";
import { inTransaction } from "../snapshot/project-store.ts";
import { restoreTree } from "../snapshot/restore-tree.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { takeSnapshot } from "../snapshot/take-snapshot.ts";

const FILES_NAMED_MAX = 100;

type Left = Carried["left"][number];

/** What was carried into a tree, for its removal. */
export interface CarriedPaths {
  readonly paths: readonly string[];
}

/** See `Carrying`. */
export async function carryFiles(handle: SnapshotHandle, order: CarryOrder): Promise<Carried> {
  const { store, world } = handle;
  const recorded = recordedAnswer<Carried>(store, "carried", order.key);
  if (recorded !== null) return recorded;
  const { onto, project, tree } = order;
  const work = onto === undefined ? NOTHING : await carryUncommitted(handle, order, onto);
  world.crashPoint("workspace.carry.filled");
  const copied = copyPaths(handle, order);
  const install = installCommand(project);
  const carried: Carried = {
    ...{ files: work.files, count: work.count, paths: copied.paths, left: [...work.left, ...copied.left] },
    ...(install === null ? {} : { install }),
    ...(work.uncarried === undefined ? {} : { uncarried: work.uncarried }),
  };
  const before = recordedAnswer<CarriedPaths>(store, "carried-paths", tree)?.paths ?? [];
  recordAnswer(store, "carried-paths", tree, { paths: [...new Set([...before, ...copied.paths])] });
  return recordAnswer(store, "carried", order.key, carried);
}

type Work = Pick<Carried, "files" | "count" | "left" | "uncarried">;

const NOTHING: Work = { files: [], count: 0, left: [] };

/**
 * The worktree becomes what the user's tree is, in all that git does not ignore. The snapshots taken on the way are
 * forgotten: what they hold stands in the user's tree and on its branch, and none is a state to go back to.
 */
async function carryUncommitted(handle: SnapshotHandle, carry: CarryOrder, onto: string): Promise<Work> {
  const { key, project, tree, atMs } = carry;
  const taken = await takeSnapshot(handle, { key: `${key}/user`, project, tree: project, atMs });
  handle.world.crashPoint("workspace.carry.kept");
  const { head } = taken;
  if (head.kind !== "git" || head.commit !== onto) {
    forgetSnapshots(handle, key);
    const why = `your branch has moved on from ${onto.slice(0, 12)} since the worktree was made`;
    return { ...NOTHING, left: [{ path: "uncommitted changes", why }] };
  }
  if (carry.nameOnly === true) return nameUncommitted(handle, carry, taken.id);
  const order = { key: `${key}/fill`, project, tree, atMs, snapshot: taken.id };
  const { before, left } = await restoreTree(handle, order, isLinkToRepository);
  const { changes } = await compareSnapshots(handle, before, taken.id);
  const changed = changes.map((change) => change.path);
  await keepCarried(handle, carry, { onto, snapshot: taken.id, files: changed });
  handle.world.crashPoint("workspace.carry.noted");
  forgetSnapshots(handle, key);
  const files = changes.filter(({ kind }) => kind !== "mode").map((change) => change.path);
  return {
    files: files.slice(0, FILES_NAMED_MAX),
    count: files.length,
    left: left.first.map(({ path: name, reason }) => ({ path: name, why: reason })),
  };
}

/** The tree is as fresh from its commit: what differs from it is not committed. */
async function nameUncommitted(handle: SnapshotHandle, carry: CarryOrder, user: string): Promise<Work> {
  const { key, project, tree, atMs } = carry;
  const fresh = await takeSnapshot(handle, { key: `${key}/fill/before/named`, project, tree, atMs });
  const { changes } = await compareSnapshots(handle, fresh.id, user);
  forgetSnapshots(handle, key);
  const why = "not committed; with workspace.isolation attempt worktrees begin from commits";
  const uncarried = changes.filter(({ kind }) => kind !== "added").map((change) => change.path);
  const left = changes.slice(0, FILES_NAMED_MAX).map((change) => ({ path: change.path, why }));
  return { ...NOTHING, left, ...(uncarried.length === 0 ? {} : { uncarried }) };
}

/** A submodule's `.git` leads from where it stands to the user's repository: in a worktree it leads nowhere. */
const isLinkToRepository = (name: string): boolean => /\/\.git$/i.test(name);

/** Records only: refs go with the next release, and nothing is lost if that is late. */
function forgetSnapshots({ store }: SnapshotHandle, key: string): void {
  inTransaction(store.db, () => {
    store.db.prepare("DELETE FROM snapshot WHERE key = ?").run(`${key}/user`);
    const like = `${key}/fill/before/`;
    store.db.prepare("DELETE FROM snapshot WHERE substr(key, 1, ?) = ?").run(like.length, like);
  });
}

/** What stands in the worktree already is left as it is. */
function copyPaths(
  { world }: SnapshotHandle,
  { project, tree, paths }: CarryOrder,
): Pick<Carried, "paths" | "left"> {
  const copied: string[] = [];
  const left: Left[] = [];
  const aside = path.join(path.dirname(tree), `.${path.basename(tree)}.carried`);
  for (const name of paths ?? installedFolders(project)) {
    const why = refusal(project, name);
    if (why !== null) left.push({ path: name, why });
    const [from, to] = [path.join(project, name), path.join(tree, name)];
    if (why !== null || existsHere(to)) continue;
    rmSync(aside, { recursive: true, force: true });
    const tooLarge = copyFolder(from, aside, { project, tree, as: to });
    world.crashPoint("workspace.carry.copied");
    if (tooLarge === null) {
      mkdirSync(path.dirname(to), { recursive: true });
      renameSync(aside, to);
      copied.push(name);
    } else left.push({ path: name, why: tooLarge });
  }
  rmSync(aside, { recursive: true, force: true });
  return { paths: copied, left };
}

const existsHere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;

/** Why a path is not copied; null where it may be. */
function refusal(project: string, name: string): string | null {
  const inside = path.relative(project, path.resolve(project, name));
  if (inside === "" || inside.startsWith("..") || path.isAbsolute(name))
    return "is no path inside of the repository";
  if (/^\.git(?:$|[\\/])/i.test(inside)) return "belongs to git";
  const from = path.join(project, inside);
  if (!existsHere(from)) return "is not there";
  const parent = path.dirname(from);
  return existsSync(parent) && realpathSync(parent) === parent ? null : "stands in a linked folder";
}
