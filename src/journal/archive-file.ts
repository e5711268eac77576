import { syncFolder } from "../files/replace-file.ts";
import { createReadStream, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { lookAtPlain } from "../files/plain-file.ts";
import { type ExportHead, exportRun } from "./export-lines.ts";
import type { Journal } from "./journal.ts";
import { openExport } from "./read-export.ts";
import { errorText, Fault, type FaultCode, isFault } from "../model/fault.ts";
import { isoTime } from "../model/text/iso-time.ts";
import type { World } from "../model/world.ts";

/**
 * Keeps a run in a file of its own, so that it may be removed from the store (I10).
 *
 * On disk at each instant, of one run:
 * 1. Up to `archive.write.before`: the run in the store, and no archive of it (or a whole one, of an earlier try).
 * 2. Until `archive.write.after`: the run in the store, and perhaps a `….partial` file that nobody reads.
 * 3. Until `journal.archive.before`: the run in the store, and the archive, synced with its folder. It is read back
 *    and checked before anything is removed.
 * 4. After `journal.archive.after`: the archive; the store knows nothing of the run any more.
 * Between 3 and 4 lies one transaction of the store. The one that was killed anywhere is repeated by asking again: an
 * archive that is there already is named after the same last event, is checked, and is kept as it is.
 */
export async function writeArchive(
  ports: { readonly journal: Journal; readonly world: World },
  order: { readonly run: string; readonly head: ExportHead },
  folder: string,
): Promise<string> {
  const { journal, world } = ports;
  const file = path.join(folder, archiveName(order.run, order.head));
  makeFolder(folder);
  if (await isWhole(file, order)) return file;
  world.crashPoint("archive.write.before");
  await writeWholeFile(file, exportRun(journal, { ...order, exportedAt: isoTime(world.now()) }));
  world.crashPoint("archive.write.after");
  if (await isWhole(file, order)) return file;
  throw new Fault(
    "store_failed",
    `${file} does not hold what was just written to it; ${order.run} stays in the store — check the disk, or name another folder`,
    { retry: "after-human", details: { file, run: order.run } },
  );
}

/** The hash distinguishes lives of one id; a run's id has no slash unless a program chose it. */
export const archiveName = (run: string, head: ExportHead): string =>
  `${run.replaceAll("/", "~")}.${head.hash.slice(0, 12)}.jsonl`;

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Fault(
      "usage",
      `the folder ${folder} cannot be made: ${errorText(error)}; name another with --to`,
      {
        cause: error,
      },
    );
  }
}

/** Reads the file to its end: every event is there, as it was written, up to the head named. */
async function isWhole(file: string, { run, head }: { run: string; head: ExportHead }): Promise<boolean> {
  if (lookAtPlain(file, "follow") !== null) return false;
  try {
    const { header, events } = await openExport(file, createReadStream(file));
    let seq = 0;
    for await (const event of events) ({ seq } = event);
    return header.run === run && header.head.hash === head.hash && seq === head.seq;
  } catch (error) {
    if (isFault(error, "journal_damaged") || isFault(error, "usage")) return false;
    throw error;
  }
}

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
