import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { readPlain } from "../../files/plain-file.ts";
import { Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import type { UserRepository } from "./user-repository.ts";

/** Another git process has the index for this long at most before the order is refused. */
export const LOCK_WAIT_MS = 5_000;
const LOOK_EVERY_MS = 50;
const MARK_BYTES_MAX = 200;

/**
 * The index of a tree, replaced as git itself does it: only the creator of `index.lock` may replace `index`.
 *
 * On disk at each instant: the lock, with our mark in it; the new index beside the old one, under a name of ours; the
 * new index in its place; the lock gone. Dying before the replacement leaves the old index, dying after it the new one.
 * A lock with our mark belongs to whichever process of ours holds the project's store, so the next one takes it over.
 */
export interface HeldIndex {
  /** A copy in the store's folder, to be changed there. */
  readonly copy: string;
  /** Makes the copy the index of the tree. */
  replace(): void;
  /** Always called in the end; the index stays as it is. */
  release(): void;
}

interface HoldOrder {
  readonly waitMs?: number;
  /** No agent works in the tree: a lock that stays was left by a git that was killed, and is put aside. */
  readonly alone?: boolean;
}

/** A folder of Holdfast's own, and the time. */
export interface IndexHandle {
  readonly store: { readonly folder: string };
  readonly world: Pick<World, "now" | "timer">;
}

/** The lock's path where another process has it for too long. */
export async function holdIndex(
  handle: IndexHandle,
  { gitDir }: Pick<UserRepository, "gitDir">,
  { waitMs = LOCK_WAIT_MS, alone = false }: HoldOrder = {},
): Promise<HeldIndex | { readonly locked: string }> {
  const { store, world } = handle;
  const lock = path.join(gitDir, "index.lock");
  const mark = markOf(store.folder, gitDir);
  for (const untilMs = world.now() + waitMs; !takeLock(lock, mark);) {
    if (world.now() >= untilMs && !(alone && putAside(lock, world.now() - waitMs))) return { locked: lock };
    await new Promise<void>((resolve) => world.timer(LOOK_EVERY_MS, resolve));
  }
  const index = path.join(gitDir, "index");
  const copy = path.join(store.folder, `index-${hashOf(gitDir).slice(0, 16)}.lock`);
  const mode = modeOf(index, lock);
  rmSync(copy, { force: true });
  if (mode !== undefined) copyFileSync(index, copy);
  return {
    copy,
    replace: () => {
      putInPlace(copy, {
        index,
        beside: path.join(gitDir, `holdfast-${hashOf(gitDir).slice(0, 16)}.index`),
        mode,
      });
    },
    release: () => {
      rmSync(lock, { force: true });
    },
  };
}

/**
 * Before git itself writes an index of a tree in which nobody works: a lock that a process of ours has left is taken
 * over, and one of a git that was killed is put aside.
 */
export async function freeIndex(handle: IndexHandle, gitDir: string): Promise<void> {
  const held = await holdIndex(handle, { gitDir }, { alone: true });
  if ("locked" in held)
    throw new Fault(
      "refused",
      `another git process has the index: ${held.locked} exists; ask again when it has ended, or remove that file if no git runs there`,
      { retry: "later" },
    );
  held.release();
}

/** A FIFO in its place would be waited for without an end. */
function modeOf(index: string, lock: string): number | undefined {
  const found = lstatSync(index, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return found?.mode;
  rmSync(lock, { force: true });
  throw new Fault(
    "file_refused",
    `${index} is not a regular file; expected git's index: look at it, move it away`,
  );
}

const markOf = (folder: string, gitDir: string): string => `holdfast ${hashOf(`${folder}\0${gitDir}`)}\n`;

/** Without its mark, on a full disk, it would be nobody's for ever. */
function writeMark(lock: string, file: number, mark: string): void {
  try {
    writeSync(file, mark);
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function takeLock(lock: string, mark: string): boolean {
  try {
    writeMark(lock, openSync(lock, "wx", 0o644), mark);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const found = readPlain(lock, { bytesMax: MARK_BYTES_MAX });
    return found.kind === "read" && found.bytes.toString() === mark;
  }
}

/** Only a lock that has not been touched for as long as it was waited for. */
function putAside(lock: string, beforeMs: number): boolean {
  const found = lstatSync(lock, { throwIfNoEntry: false });
  if (found === undefined) return true;
  if (!found.isFile() || found.mtimeMs > beforeMs) return false;
  renameSync(lock, `${lock}.left`);
  return true;
}

interface Target {
  readonly index: string;
  readonly beside: string;
  readonly mode: number | undefined;
}

function putInPlace(copy: string, { index, beside, mode }: Target): void {
  copyFileSync(copy, beside);
  if (mode !== undefined) chmodSync(beside, mode & 0o777);
  const file = openSync(beside, "r");
  fsyncSync(file);
  closeSync(file);
  renameSync(beside, index);
}
