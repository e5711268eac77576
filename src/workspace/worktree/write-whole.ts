import { chmod, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";

interface Whole {
  readonly mode: number;
  /** Called when all of it is on disk, under another name. */
  readonly written?: () => void;
}

/** A file of ours has its name only once it is whole and synced; folders on the way to it are for us alone. */
export async function writeWhole(file: string, bytes: Buffer, { mode, written }: Whole): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.${String(process.pid)}.partial`;
  await rm(partial, { force: true });
  const handle = await open(partial, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(partial, mode);
  written?.();
  await rename(partial, file);
}
