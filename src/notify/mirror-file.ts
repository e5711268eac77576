import { syncFolder } from "../files/replace-file.ts";
import { constants, type Stats } from "node:fs";
import { lstat, open, realpath, rename, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { readPlainLater, refusalFault } from "../files/plain-file.ts";
import { printableLine } from "../model/text/printable.ts";
import type { World } from "../model/world.ts";
import { withLock } from "./lock-file.ts";
import type { MirrorOutcome } from "./notifier.ts";

const READ_BYTES_MAX = 4 * 1_024 * 1_024;

/** A file as it was found; `undefined` if there is none. */
export interface FoundFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

export const failed = (text: string): MirrorOutcome => ({ kind: "failed", text: printableLine(text, 400) });

export interface MirrorPlace {
  readonly target: string;
  /** Beside it, and for the one that holds the lock alone: what a process that died has left there is replaced. */
  readonly draft: string;
}

/** Updates of one file by several processes follow each other. */
export async function underLock(
  world: World,
  file: string,
  act: (place: MirrorPlace) => Promise<MirrorOutcome>,
): Promise<MirrorOutcome> {
  const target = await mirrorTarget(file);
  const beside = (suffix: string): string =>
    // Named after the file that was asked for, also where that is a link: these names are known to be Holdfast's own.
    path.join(path.dirname(target), `.${path.basename(file)}.${suffix}`);
  const locked = await withLock(world, beside("lock"), async () => {
    world.crashPoint("mirror.lock.after");
    return act({ target, draft: beside("draft") });
  });
  return locked.kind === "done" ? locked.value : failed(locked.text);
}

/**
 * The file that a path means. A link is followed within its folder only: a tree that an agent writes to must not make
 * us write elsewhere.
 */
async function mirrorTarget(file: string): Promise<string> {
  const folder = await realpath(path.dirname(path.resolve(file)));
  const named = path.join(folder, path.basename(file));
  const found = await lstatIfThere(named);
  if (found === undefined || found.isFile()) return named;
  if (!found.isSymbolicLink()) throw new Error(`${file} is no ordinary file; name another`);
  const target = await realpath(named);
  const inside = path.relative(folder, target);
  if (inside.startsWith("..") || path.isAbsolute(inside))
    throw new Error(`${file} is a link that leads out of its folder; name the file itself`);
  return target;
}

export async function readMirror(target: string): Promise<FoundFile | undefined> {
  const read = await readPlainLater(target, { bytesMax: READ_BYTES_MAX });
  if (read.kind === "refused") throw refusalFault(target, read);
  return read.kind === "absent" ? undefined : read;
}

/** Whether the file is still the one that was found: a person's editor asks for no lock. */
export async function isAsFound(target: string, found: FoundFile | undefined): Promise<boolean> {
  const now = await lstatIfThere(target);
  if (now === undefined || found === undefined) return now === undefined && found === undefined;
  const { ino, size, mtimeMs } = found.stats;
  return now.ino === ino && now.size === size && now.mtimeMs === mtimeMs;
}

export interface MirrorWrite extends MirrorPlace {
  readonly bytes: Buffer;
  /** Whose mode and owner the new one takes. */
  readonly like: Stats | undefined;
  /** Whether others may read one that is new. */
  readonly shared?: boolean;
  /** Asked last: false leaves everything as it is. */
  readonly still?: () => Promise<boolean>;
}

/**
 * Puts a whole file in the place of another, at one stroke, and answers whether it did.
 *
 * On disk: the draft, then, synced, the file of that name. A process that dies in between leaves the old file or the
 * new one, and at most a draft, which the next writer replaces.
 */
export async function replaceWhole(world: World, write: MirrorWrite): Promise<boolean> {
  await rm(write.draft, { force: true });
  world.crashPoint("mirror.draft.before");
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const mode = write.like?.mode ?? (write.shared === true ? 0o666 : 0o600);
  const handle = await open(write.draft, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode);
  try {
    await handle.writeFile(write.bytes);
    if (write.like !== undefined) await takeAfter(handle, write.like);
    await handle.sync();
  } finally {
    await handle.close();
  }
  world.crashPoint("mirror.draft.after");
  if (write.still !== undefined && !(await write.still())) {
    await rm(write.draft, { force: true });
    return false;
  }
  await rename(write.draft, write.target);
  world.crashPoint("mirror.rename.after");
  await syncFolder(path.dirname(write.target));
  return true;
}

async function takeAfter(handle: FileHandle, like: Stats): Promise<void> {
  const own = await handle.stat();
  if (own.uid !== like.uid || own.gid !== like.gid)
    // Only a privileged process may give a file away; the file is as good as ours then.
    await handle.chown(like.uid, like.gid).catch(ignorePermission);
  await handle.chmod(like.mode & 0o7777);
}

function ignorePermission(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
}

async function lstatIfThere(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
