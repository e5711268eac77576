import { open } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import path from "node:path";

/**
 * Replaces a small file of Holdfast's own, wholly or not at all, readable by its user alone.
 *
 * On disk: a draft beside it, synced; then it takes the name at one stroke. A crash leaves the file as it was before,
 * and at most a draft that nobody reads. Each draft has a name of its own: process ids are the same in two containers.
 */
export function replaceFile(file: string, text: string, drafted: () => void = () => undefined): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString("hex")}.draft`;
  try {
    writeSynced(draft, text);
    drafted();
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function writeSynced(file: string, text: string): void {
  const descriptor = openSync(file, "wx", 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
