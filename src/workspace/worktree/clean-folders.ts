import { mkdir, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { hashOf } from "../snapshot/hash-of.ts";

/**
 * Folders for copies that are thrown away: one per key, so that the one that makes it again finds what was left of it.
 */
interface CleanFolders {
  /** An empty folder. What an earlier try under this key has left is removed. */
  make(key: string): Promise<string>;
  remove(key: string): Promise<void>;
}

/** What nobody came back for within so long is nobody's. */
const LEFT_MS = 24 * 3_600_000;

export function cleanFolders(root: string, now: () => number): CleanFolders {
  const folderOf = (key: string): string => path.join(root, hashOf(key).slice(0, 32));
  const remove = (folder: string): Promise<void> =>
    rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  return {
    async make(key) {
      await mkdir(root, { recursive: true, mode: 0o700 });
      await sweep(root, now() - LEFT_MS, remove);
      const folder = folderOf(key);
      await remove(folder);
      await mkdir(folder, { mode: 0o700 });
      return folder;
    },
    remove: (key) => remove(folderOf(key)),
  };
}

async function sweep(root: string, before: number, remove: (folder: string) => Promise<void>): Promise<void> {
  for (const name of await readdir(root)) {
    const folder = path.join(root, name);
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < before) await remove(folder);
  }
}
