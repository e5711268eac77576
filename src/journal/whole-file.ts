import { lstatSync, realpathSync } from "node:fs";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { errorText, Fault, isFault, type FaultCode } from "../model/fault.ts";

const WRITE_CHARS = 256 * 1_024;

/**
 * Writes a file that is there wholly or not at all.
 *
 * On disk: first a file beside it, named `….partial`; once all of it is synced it takes the name, at one stroke, and
 * the folder is synced. A crash leaves at most the partial file, which the next try of the same process id replaces
 * and nobody reads. A file that had the name before stays until then.
 */
export async function writeWholeFile(file: string, texts: AsyncIterable<string>): Promise<void> {
  const target = targetOf(file);
  const partial = `${target}.${String(process.pid)}.partial`;
  try {
    await writeSynced(partial, texts);
    await rename(partial, target);
    await syncFolder(path.dirname(target));
  } catch (error) {
    await rm(partial, { force: true });
    throw isFault(error) ? error : cannotWrite(file, error);
  }
}

async function writeSynced(file: string, texts: AsyncIterable<string>): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    await writeAll(handle, texts);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, texts: AsyncIterable<string>): Promise<void> {
  let waiting: string[] = [];
  let chars = 0;
  for await (const text of texts) {
    waiting.push(text);
    chars += text.length;
    if (chars < WRITE_CHARS) continue;
    await handle.writeFile(waiting.join(""));
    waiting = [];
    chars = 0;
  }
  await handle.writeFile(waiting.join(""));
}

/** A link is followed, and only a file is replaced: a device or a folder of that name stays what it is. */
function targetOf(file: string): string {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return file;
  if (found.isSymbolicLink()) return targetOf(realpathSync(file));
  const is = found.isDirectory() ? "a folder" : "no ordinary file";
  throw new Fault("usage", `${file} is ${is}; name a file to write to`, { details: { file } });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const WRONG_PLACE = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "EPERM", "ENAMETOOLONG", "ELOOP"];

function cannotWrite(file: string, error: unknown): Fault {
  const { code = "" } = error as NodeJS.ErrnoException;
  const kind: FaultCode = WRONG_PLACE.includes(code)
    ? "usage"
    : code === "ENOSPC"
      ? "store_full"
      : "store_failed";
  return new Fault(kind, `${file} cannot be written: ${errorText(error)}; name another file or folder`, {
    cause: error,
    details: { file },
  });
}
