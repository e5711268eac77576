import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";

/** So many entries are counted; a folder with more is at least that large. */
const ENTRIES_MAX = 200_000;

/** Bytes of the regular files in a folder; nothing is followed, and what goes away meanwhile counts nothing. */
export function folderBytes(folder: string): number {
  let bytes = 0;
  let entries = 0;
  const open = [folder];
  for (let at = open.pop(); at !== undefined && entries < ENTRIES_MAX; at = open.pop())
    for (const name of namesIn(at)) {
      entries += 1;
      const found = lstatSync(path.join(at, name), { throwIfNoEntry: false });
      if (found?.isDirectory() === true) open.push(path.join(at, name));
      else bytes += found?.isFile() === true ? found.size : 0;
    }
  return bytes;
}

/** None of a folder that was removed meanwhile, or is not ours to read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
