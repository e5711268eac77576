import { open } from "node:fs/promises";
import path from "node:path";
import { readPlainLater, refusalFault } from "../../files/plain-file.ts";
import { digestOf } from "../protect/protected-scan.ts";
import { writeWhole } from "../worktree/write-whole.ts";

/** Far above what is ever kept: outputs and protected files have bounds of their own. */
const COPY_BYTES_MAX = 2 ** 31;

/**
 * Bytes by their digest, in a folder of Holdfast's own: the copies that protected files are brought back from, and
 * what was found in their place.
 *
 * On disk: a copy has its name only once it is whole and synced. What is read is held against its name, so a copy that
 * somebody has changed is no copy.
 */
export class TrustedStore {
  readonly #folder: string;
  /** Several runs may keep the same bytes at once; they share one writing, since its file is named after them. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async keep(bytes: Buffer): Promise<string> {
    const digest = digestOf(bytes);
    if ((await this.read(digest)) !== null) return digest;
    const writing = this.#writing.get(digest) ?? this.#write(digest, bytes);
    this.#writing.set(digest, writing);
    try {
      await writing;
    } finally {
      this.#writing.delete(digest);
    }
    return digest;
  }

  async #write(digest: string, bytes: Buffer): Promise<void> {
    await writeWhole(path.join(this.#folder, digest), bytes, { mode: 0o600 });
    await syncFolder(this.#folder);
  }

  /** Null where there is no copy that is still what it was. */
  async read(digest: string): Promise<Buffer | null> {
    if (!/^[0-9a-f]{64}$/.test(digest)) return null;
    const file = path.join(this.#folder, digest);
    const read = await readPlainLater(file, { bytesMax: COPY_BYTES_MAX });
    if (read.kind === "refused") throw refusalFault(file, read);
    return read.kind === "read" && digestOf(read.bytes) === digest ? read.bytes : null;
  }
}

export async function syncFolder(folder: string | Buffer): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
