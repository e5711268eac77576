import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import type { World } from "../../model/world.ts";
import { ancestorsOf, joined, onDisk, parentOf, type BytePath } from "./byte-path.ts";
import { permissionsOf } from "../worktree/folder-record.ts";
import type { SnapshotListing } from "./list-snapshot.ts";
import { blobId, FOLDER, isGone, isLink, KIND, lookAt, readEntry } from "./read-entry.ts";
import type { RestorePlan } from "./restore-plan.ts";
import type { Known } from "./tree-memory.ts";
import type { SkipReason } from "../workspace.ts";

/**
 * Carries out a plan, file by file.
 *
 * 1. Nothing is removed or replaced unless its bytes, read again at that moment, are those that `now` holds (I10).
 * 2. A file appears under its name whole, by rename; links are never followed.
 * 3. What cannot be done without breaking 1 is left as it is, and reported.
 */
export interface RestoreWork {
  readonly tree: string;
  readonly world: World;
  /** A verified snapshot of the tree as it is. */
  readonly now: SnapshotListing;
  readonly left: Map<BytePath, SkipReason>;
  readonly done: { written: number; removed: number };
}

export function removeExtra(work: RestoreWork, plan: RestorePlan): void {
  for (const path of plan.removals) {
    if (!isAsKnown(work, path)) continue;
    work.world.crashPoint("workspace.restore.remove");
    inFolderOf(work, path, () => {
      unlinkSync(onDisk(work.tree, path));
    });
    work.done.removed += 1;
  }
  for (const folder of plan.emptied) removeFolder(work, folder);
}

function removeFolder(work: RestoreWork, folder: BytePath): void {
  if (!isFolder(work, folder)) return;
  try {
    inFolderOf(work, folder, () => {
      rmdirSync(onDisk(work.tree, folder));
    });
  } catch (error) {
    if (isGone(error)) return;
    if (!["ENOTEMPTY", "EEXIST", "EBUSY"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    work.left.set(folder, "occupied");
  }
}

export function makeFolders(work: RestoreWork, plan: RestorePlan): void {
  for (const folder of plan.made) {
    if (isFolder(work, folder)) continue;
    if (lookAt(work.tree, folder) !== undefined || !standsInFolders(work, folder)) {
      work.left.set(folder, "occupied");
      continue;
    }
    inFolderOf(work, folder, () => {
      mkdirSync(onDisk(work.tree, folder), { mode: 0o700 });
    });
  }
}

export function writeFile(work: RestoreWork, target: Known & { path: BytePath }, bytes: Uint8Array): void {
  const { path, mode } = target;
  if (!standsInFolders(work, path)) {
    work.left.set(path, "occupied");
    return;
  }
  if (lookAt(work.tree, path) !== undefined && !isAsKnown(work, path)) return;
  work.world.crashPoint("workspace.restore.write");
  inFolderOf(work, path, () => {
    const temporary = joined(parentOf(path), `.holdfast-restore-${work.world.id("w")}`);
    if (isLink(mode)) symlinkSync(Buffer.from(bytes), onDisk(work.tree, temporary));
    else writeWhole(onDisk(work.tree, temporary), bytes, permissionsOf(mode));
    renameSync(onDisk(work.tree, temporary), onDisk(work.tree, path));
  });
  work.done.written += 1;
}

function writeWhole(file: Buffer, bytes: Uint8Array, permissions: number): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
    fchmodSync(handle, permissions);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function setPermissions(work: RestoreWork, plan: RestorePlan): void {
  for (const { path, mode } of plan.permissions)
    if (isFolder(work, path)) chmodSync(onDisk(work.tree, path), permissionsOf(mode));
}

/** True where what is on disk is what `now` holds; otherwise it is left, and reported. */
function isAsKnown(work: RestoreWork, path: BytePath): boolean {
  const known = work.now.files.get(path);
  const reading = standsInFolders(work, path)
    ? readEntry(work.tree, path, { bytesMax: Number.MAX_SAFE_INTEGER, nowMs: work.world.now() })
    : ({ kind: "gone" } as const);
  if (reading.kind === "gone") return false;
  if (known === undefined) {
    work.left.set(path, "occupied");
    return false;
  }
  const same = reading.kind === "read" && reading.mode === known.mode && blobId(reading.bytes) === known.oid;
  if (!same) work.left.set(path, "changing");
  return same;
}

function isFolder(work: RestoreWork, folder: BytePath): boolean {
  const stat = standsInFolders(work, folder) ? lookAt(work.tree, folder) : undefined;
  return stat !== undefined && (Number(stat.mode) & KIND) === FOLDER;
}

/** Whether everything above a path is a folder, and no link to elsewhere. */
const standsInFolders = (work: RestoreWork, path: BytePath): boolean =>
  ancestorsOf(path).every((folder) => {
    const stat = lookAt(work.tree, folder);
    return stat !== undefined && (Number(stat.mode) & KIND) === FOLDER;
  });

/** A folder may forbid us to change what is in it; its permissions are set again at the end. */
function inFolderOf(work: RestoreWork, path: BytePath, act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    const folder = onDisk(work.tree, parentOf(path));
    chmodSync(folder, permissionsOf(lstatSync(folder).mode) | 0o700);
    act();
  }
}
