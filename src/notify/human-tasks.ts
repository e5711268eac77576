import { rm } from "node:fs/promises";
import path from "node:path";
import { errorText } from "../model/fault.ts";
import type { World } from "../model/world.ts";
import {
  failed,
  isAsFound,
  readMirror,
  replaceWhole,
  syncFolder,
  underLock,
  type MirrorPlace,
} from "./mirror-file.ts";
import type { MirrorOutcome, TaskMirror } from "./notifier.ts";
import { EMPTY_FILE, sectionOf, withSection } from "./task-section.ts";

/** How often a file may change under our hands before we leave it to the next update. */
const TRIES_MAX = 5;

/**
 * Keeps the open tasks of one run in a file that people read, and may write to.
 *
 * 1. Only the section of the run is touched. Bytes outside stay as they are, whatever their encoding.
 * 2. Updates of several processes follow each other by a lock; a person's editor knows no lock, so a file that changed
 *    since it was read is read again.
 * 3. The file is there whole, old or new, whenever this process dies.
 * 4. A file that Holdfast has made and that holds nothing else any more is removed.
 */
export async function mirrorTasks(world: World, mirror: TaskMirror): Promise<MirrorOutcome> {
  try {
    return await underLock(world, mirror.file, (place) => update(world, mirror, place));
  } catch (error) {
    return failed(`${mirror.file} could not be brought up to date: ${errorText(error)}`);
  }
}

async function update(
  world: World,
  { run, tasks, file, shared = false }: TaskMirror,
  { target, draft }: MirrorPlace,
): Promise<MirrorOutcome> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const found = await readMirror(target);
    const section = sectionOf(run, tasks);
    if (found === undefined && section === "") return { kind: "unchanged" };
    const before = found === undefined ? EMPTY_FILE : bytesAsText(found.bytes);
    const after = withSection(before, run, bytesAsText(Buffer.from(section)));
    if (found !== undefined && after === before) return { kind: "unchanged" };
    const still = (): Promise<boolean> => isAsFound(target, found);
    if (after.trim() === EMPTY_FILE.trim()) {
      if (!(await still())) continue;
      await rm(target, { force: true });
      await syncFolder(path.dirname(target));
      return { kind: "removed" };
    }
    const bytes = Buffer.from(after, "latin1");
    if (await replaceWhole(world, { target, draft, bytes, like: found?.stats, shared, still }))
      return { kind: "written" };
  }
  return failed(`${file} was changed by others each time it was about to be written`);
}

/** Byte for character: what is no UTF-8 comes back as it was. */
const bytesAsText = (bytes: Buffer): string => bytes.toString("latin1");
