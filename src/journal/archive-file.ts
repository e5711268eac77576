import { createReadStream, mkdirSync } from "node:fs";
import path from "node:path";
import { lookAtPlain } from "../files/plain-file.ts";
import { errorText, Fault, isFault } from "../model/fault.ts";
import { isoTime } from "../model/text/iso-time.ts";
import type { World } from "../model/world.ts";
import type { ExportHead } from "./export-lines.ts";
import { exportRun } from "./export-run.ts";
import type { Journal } from "./journal.ts";
import { openExport } from "./read-export.ts";
import { writeWholeFile } from "./whole-file.ts";

/**
 * Keeps a run in a file of its own, so that it may be removed from the store (I10).
 *
 * On disk at each instant, of one run:
 * 1. Up to `archive.write.before`: the run in the store, and no archive of it (or a whole one, of an earlier try).
 * 2. Until `archive.write.after`: the run in the store, and perhaps a `….partial` file that nobody reads.
 * 3. Until `journal.archive.before`: the run in the store, and the archive, synced with its folder. It is read back
 *    and checked before anything is removed.
 * 4. After `journal.archive.after`: the archive; the store knows nothing of the run any more.
 * Between 3 and 4 lies one transaction of the store. Whoever was killed anywhere is repeated by asking again: an
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

/** The hash tells lives of one id apart; a run's id has no slash unless a program chose it. */
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
