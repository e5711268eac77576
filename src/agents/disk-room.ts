import { statfsSync } from "node:fs";
import { FULL_BYTES, type FullDisk } from "../model/host/host-fault.ts";

/** Bytes that are left for us on the disk of a folder; null where that cannot be determined. */
export function roomLeft(folder: string): number | null {
  try {
    const { bavail, bfree, bsize } = statfsSync(folder);
    // What is set aside for root is there for root.
    return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
  } catch {
    return null;
  }
}

/** Those of the folders whose disk is full. A quota is seen only by what it refuses. */
export const fullDisks = (folders: readonly string[]): FullDisk[] =>
  [...new Set(folders)].flatMap((folder) => {
    const bytes = roomLeft(folder);
    return bytes !== null && bytes < FULL_BYTES ? [{ folder, bytes }] : [];
  });
