import { cpSync, existsSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { recordAnswer, recordedAnswer } from "../accept/commit-orders.ts";
import { removeExtra } from "../snapshot/apply-restore.ts";
import type { BytePath } from "../snapshot/byte-path.ts";
import type { CarriedPaths } from "./carry-files.ts";
import { clearCarried } from "./clear-carried.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { listSnapshot } from "../snapshot/list-snapshot.ts";
import { planRestore } from "../snapshot/restore-plan.ts";
import { runGit } from "../git/run-git.ts";
import type { Slots } from "./slots.ts";
import { forgetTree, recordedSnapshot, skippedFacts, takeSnapshot } from "../snapshot/take-snapshot.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { firstLine } from "../git/user-repository.ts";
import {
  recordFolderOf,
  removeFolderOfOurs,
  shadowRepository,
  type ShadowRepository,
} from "../git/shadow-repository.ts";
import { forgetWork } from "../accept/overlaps.ts";
import { dropWork } from "./work-ref.ts";
import type { SkipReason, Snapshot, RemoveWorktreeOrder, WorktreeRemoval } from "../workspace.ts";
import type { Worktree } from "./worktree-orders.ts";

/**
 * Takes a worktree away: files one by one, each only if the snapshot just taken holds its bytes; then git's record,
 * of which a copy stays in the store, and a ref in the repository for what was staged or on no branch.
 */
export async function removeWorktree(
  handle: SnapshotHandle,
  slots: Slots,
  order: RemoveWorktreeOrder,
): Promise<WorktreeRemoval> {
  const { store, world } = handle;
  const recorded = recordedAnswer<WorktreeRemoval>(store, "removal", order.key);
  if (recorded !== null) return recorded;
  const repository = shadowRepository(store.folder, order.project);
  const record = recordFolderOf(repository, order.tree);
  if (existsSync(order.tree)) {
    if (firstLine(path.join(order.tree, ".git")) !== `gitdir: ${record}`) throw notOurs(order.tree);
    const carried = recordedAnswer<CarriedPaths>(store, "carried-paths", order.tree);
    clearCarried(order, carried?.paths ?? []);
    const kept = await clearTree(handle, order);
    if (kept !== null) return kept;
    world.crashPoint("workspace.removal.cleared");
    unlinkSync(path.join(order.tree, ".git"));
    rmdirSync(order.tree);
  }
  world.crashPoint("workspace.removal.folder");
  if (existsSync(record)) {
    await keepUnreachable(repository, record, { name: hashOf(order.key), atMs: order.atMs });
    cpSync(record, path.join(store.folder, `removed-${hashOf(order.key)}`), { recursive: true });
    world.crashPoint("workspace.removal.copied");
    removeFolderOfOurs(record);
  }
  const standing = recordedAnswer<Worktree>(store, "standing", order.tree);
  if (standing !== null) await dropWork(repository, standing.branch);
  slots.free(order.tree);
  forgetTree(handle, order.tree);
  forgetWork(handle, order.tree);
  for (const kind of ["standing", "carried-paths"])
    store.db.prepare("DELETE FROM done WHERE key = ?").run(`${kind}:${order.tree}`);
  const snapshot = recordedSnapshot(store, lastKey(order, 1))?.id ?? null;
  return recordAnswer(store, "removal", order.key, { kind: "removed", snapshot });
}

const notOurs = (tree: string): Fault =>
  new Fault(
    "refused",
    `${tree} is no worktree that Holdfast made; expected one: nothing else is removed here, remove it yourself if it is not needed`,
  );

const lastKey = (order: RemoveWorktreeOrder, number: number): string => `${order.key}/last/${String(number)}`;

async function clearTree(
  handle: SnapshotHandle,
  order: RemoveWorktreeOrder,
): Promise<WorktreeRemoval | null> {
  const { world } = handle;
  const taken = await lastSnapshot(handle, order);
  world.crashPoint("workspace.removal.rescued");
  if (!taken.whole) return { kind: "kept", snapshot: taken.id, because: taken.skipped };
  const now = await listSnapshot(handle, taken.id);
  const nothing = { files: new Map(), folders: new Map([["", 0]]), skipped: new Set<BytePath>() };
  const left = new Map<BytePath, SkipReason>();
  const work = { tree: order.tree, world, now, left, done: { written: 0, removed: 0 } };
  removeExtra(work, planRestore(now, nothing, null));
  for (const name of readdirSync(order.tree))
    if (name !== ".git" && left.size === 0) left.set(name, "changing");
  return left.size === 0 ? null : { kind: "kept", snapshot: taken.id, because: skippedFacts(left.entries()) };
}

/** Always a new one, for an earlier try may have ended long ago; ignored files are part of it. */
async function lastSnapshot(handle: SnapshotHandle, order: RemoveWorktreeOrder): Promise<Snapshot> {
  let number = 1;
  while (recordedSnapshot(handle.store, lastKey(order, number)) !== null) number += 1;
  const { project, tree, atMs } = order;
  return takeSnapshot(handle, {
    project,
    tree,
    atMs,
    key: lastKey(order, number),
    note: "before the worktree was removed",
    rules: { ...order.rules, ignored: "keep" },
  });
}

/** What was staged, and a HEAD on no branch, stay reachable in the user's repository. */
async function keepUnreachable(
  repository: ShadowRepository,
  record: string,
  { name, atMs }: { readonly name: string; readonly atMs: number },
): Promise<void> {
  const gitDir = repository.shadow;
  const index = path.join(record, "index");
  const head = firstLine(path.join(record, "HEAD")) ?? "";
  const detached = /^[0-9a-f]{40,64}$/.test(head);
  const written = existsSync(index)
    ? await runGit({ gitDir, index, args: ["write-tree"], answers: [1, 128] })
    : { code: 1, output: Buffer.alloc(0) };
  const parent = detached ? ["-p", head] : [];
  const tree = written.output.toString().trim();
  const kept =
    written.code === 0
      ? (
          await runGit({
            gitDir,
            args: ["commit-tree", ...parent, tree],
            input: "staged\n",
            env: keeperAt(atMs),
          })
        ).output
      : Buffer.from(detached ? head : "");
  const commit = kept.toString().trim();
  if (commit !== "") await runGit({ gitDir, args: ["update-ref", `refs/holdfast/kept/${name}`, commit] });
}

/** The same each time it is tried: a kill leaves no second commit behind. */
const keeperAt = (atMs: number): Record<string, string> => ({
  GIT_AUTHOR_NAME: "Holdfast",
  GIT_AUTHOR_EMAIL: "holdfast@localhost",
  GIT_COMMITTER_NAME: "Holdfast",
  GIT_COMMITTER_EMAIL: "holdfast@localhost",
  GIT_AUTHOR_DATE: `@${String(Math.floor(atMs / 1_000))} +0000`,
  GIT_COMMITTER_DATE: `@${String(Math.floor(atMs / 1_000))} +0000`,
});
