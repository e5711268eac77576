import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { recordAnswer, recordedAnswer } from "../accept/commit-orders.ts";
import { toText } from "../snapshot/byte-path.ts";
import { compareCommits } from "../accept/compare-commits.ts";
import { raiseTree } from "./create-worktree.ts";
import { listSnapshot } from "../snapshot/list-snapshot.ts";
import { realFolder, realPlace } from "../snapshot/project-store.ts";
import { restoreTree } from "../snapshot/restore-tree.ts";
import { runGit } from "../git/run-git.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { forgetTree } from "../snapshot/take-snapshot.ts";
import { findRepository, readHead, resolveRef } from "../git/user-repository.ts";
import { shadowRepository, type ShadowRepository } from "../git/shadow-repository.ts";
import { workRefOf } from "./work-ref.ts";
import type { Snapshot } from "../workspace.ts";
import type { MendOrder, Mended } from "./worktree-orders.ts";

/** What a folder that is made again is filled with: written down before it is begun. */
interface Mending {
  readonly key: string;
  readonly snapshot: string | null;
  /** The commit that the snapshot was taken on. */
  readonly of: string | null;
}

/** Whether nothing is missing. Looks at a few files only, for it is asked before everything that needs the tree. */
export function stands({ project, tree, branch }: MendOrder): boolean {
  if (!existsSync(path.join(tree, ".git"))) return false;
  const repository = findRepository(project);
  return repository === null || resolveRef(repository, `refs/heads/${branch}`) !== null;
}

export const isMending = ({ store }: SnapshotHandle, tree: string): boolean =>
  recordedAnswer(store, "mending", tree) !== null;

/**
 * Makes a worktree again whose branch, folder or record somebody has deleted: the branch from the last commit of ours,
 * the files from the branch and from the last snapshot of the tree. On disk: the branch; what is to be done; git's
 * record, the folder, the files of the branch; the files of the snapshot; the note gone. The same order again goes on.
 */
export async function mendWorktree(handle: SnapshotHandle, asked: MendOrder): Promise<Mended> {
  const { store, world } = handle;
  mkdirSync(path.dirname(asked.tree), { recursive: true });
  const order = { ...asked, project: realFolder(asked.project), tree: realPlace(asked.tree) };
  const repository = shadowRepository(store.folder, order.project);
  const branch = await mendBranch(repository, order);
  world.crashPoint("workspace.mend.branch");
  const begun = begunMending(handle, order.tree);
  if (begun === null && existsSync(path.join(order.tree, ".git"))) return { branch, folder: false };
  const isEmptied = !existsSync(order.tree) || readdirSync(order.tree).length === 0;
  const mending = begun ?? beginMending(handle, order, isEmptied);
  world.crashPoint("workspace.mend.noted");
  await fill(handle, { repository, order, mending });
  world.crashPoint("workspace.mend.filled");
  forgetMending(handle, order.tree);
  return { branch, folder: true };
}

/** One that was made again already when its process died may have been removed once more since: that is a new one. */
function begunMending(handle: SnapshotHandle, tree: string): Mending | null {
  const noted = recordedAnswer<Mending>(handle.store, "mending", tree);
  if (noted === null || existsSync(path.join(tree, ".git")) || !isFilled(handle, noted)) return noted;
  forgetMending(handle, tree);
  return null;
}

const isFilled = ({ store }: SnapshotHandle, { key }: Mending): boolean =>
  recordedAnswer(store, "restore", key) !== null;

const forgetMending = ({ store }: SnapshotHandle, tree: string): void => {
  store.db.prepare("DELETE FROM done WHERE key = ?").run(`mending:${tree}`);
};

/** True where the branch was gone and is there again. */
async function mendBranch(
  repository: ShadowRepository,
  { branch, commit, project }: MendOrder,
): Promise<boolean> {
  if (resolveRef(repository, `refs/heads/${branch}`) !== null) return false;
  const wanted = resolveRef(repository, workRefOf(branch)) ?? commit;
  const gitDir = repository.shadow;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${wanted}^{commit}`];
  const { code } = await runGit({ gitDir, args, answers: [1, 128] });
  if (code !== 0)
    throw new Fault(
      "not_found",
      `the branch ${branch} was deleted and its last commit ${wanted} is no longer in ${project}; expected one of them: look for the commit with "git fsck --lost-found", then: git branch ${branch} COMMIT`,
    );
  await runGit({ gitDir, args: ["update-ref", `refs/heads/${branch}`, wanted, "0".repeat(wanted.length)] });
  return true;
}

/** A folder that still holds files keeps them: only what makes it a worktree is made again. */
function beginMending(handle: SnapshotHandle, { tree }: MendOrder, isEmptied: boolean): Mending {
  const last = isEmptied ? lastSnapshot(handle, tree) : null;
  const of = last?.head.kind === "git" ? last.head.commit : null;
  const mending = { key: `mend/${tree}/${handle.world.id("mend")}`, snapshot: last?.id ?? null, of };
  if (!isEmptied) return mending;
  // What was remembered of its files is of another folder.
  forgetTree(handle, tree);
  return recordAnswer(handle.store, "mending", tree, mending);
}

function lastSnapshot({ store }: SnapshotHandle, tree: string): Snapshot | null {
  const rows = store.db.prepare("SELECT facts FROM snapshot ORDER BY at DESC, rowid DESC").all();
  for (const row of rows) {
    const one = JSON.parse(String(row["facts"])) as Snapshot;
    if (one.tree === tree && !one.key.startsWith("mend/")) return one;
  }
  return null;
}

interface Filling {
  readonly repository: ShadowRepository;
  readonly order: MendOrder;
  readonly mending: Mending;
}

async function fill(handle: SnapshotHandle, { repository, order, mending }: Filling): Promise<void> {
  const { tree, branch, project, atMs } = order;
  if (isFilled(handle, mending)) return;
  const head = resolveRef(repository, `refs/heads/${branch}`) ?? order.commit;
  const asIs = !isMending(handle, tree);
  const call = await raiseTree(handle, repository, { tree, branch, from: head, asIs });
  if (asIs) return;
  const now = readHead(tree);
  // The worktree may have been on another branch, or on none.
  const at = now.kind === "git" && now.commit !== null ? now.commit : head;
  if (at !== head) await runGit({ ...call, args: ["read-tree", "--reset", "-u", at] });
  if (mending.snapshot === null) return;
  const paths = await uncommitted(handle, { repository, mending, at });
  await restoreTree(handle, {
    ...{ key: mending.key, project, tree, atMs, snapshot: mending.snapshot },
    ...(paths === null ? {} : { paths }),
  });
}

/** What the snapshot says of files that were committed since is older than the commit; null for none. */
async function uncommitted(
  handle: SnapshotHandle,
  {
    repository,
    mending,
    at,
  }: { readonly repository: ShadowRepository; readonly mending: Mending; readonly at: string },
): Promise<string[] | null> {
  const { snapshot, of } = mending;
  if (snapshot === null || of === null || of === at) return null;
  const since = new Set((await compareCommits(repository, of, at)).files);
  const listed = [...(await listSnapshot(handle, snapshot)).files.keys()].map(toText);
  return listed.filter((file) => !since.has(file));
}
