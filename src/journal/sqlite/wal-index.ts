import { closeSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";

/** How far a generation of the log is committed. */
export interface WalMark {
  readonly salts: string;
  readonly frames: number;
}

/** https://www.sqlite.org/walformat.html#the_wal_index_file_format: two copies of a header, in native byte order. */
const COPY_BYTES = 48;
const IS_INIT_AT = 12;
const FRAMES_AT = 16;
const SALTS_AT = 32;
const LOOKS_MAX = 10;
const littleEndian = endianness() === "LE";

/**
 * Reads the committed end of a live write-ahead log where SQLite itself keeps it: in the index that the processes
 * share, which is written after the log was synced. Reading the log instead would mean summing up every frame.
 *
 * States: *closed* until somebody asks and the index exists, then open until its last user here lets go.
 *
 * 1. Used only while a connection to the database is open, so the index is never deleted under us.
 * 2. Closing a descriptor drops all locks of this process on the file (POSIX), and SQLite's connections hold theirs
 *    on the index. So all users of one process share one descriptor; each counts from before its connection is
 *    opened until after it is closed, whether it ever asked or not: the last one finds no lock to drop.
 * 3. What is read while another process writes differs between the copies, and is read again.
 */
export class WalIndex {
  readonly #bytes = Buffer.alloc(2 * COPY_BYTES);
  readonly #shared: SharedDescriptor;
  /** The salts read last, as numbers and as text: they stay the same for hundreds of commits. */
  #saltsRead = { first: 0, second: 0, text: "0".repeat(16) };

  constructor(indexFile: string) {
    this.#shared = share(indexFile);
  }

  /** Null if there is no log, or if nothing certain can be said of it. */
  committed(): WalMark | null {
    const fd = opened(this.#shared);
    if (fd === null) return null;
    const bytes = this.#bytes;
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      if (readSync(fd, bytes, 0, bytes.length, 0) < bytes.length) return null;
      if (!copiesAgree(bytes)) continue;
      if (bytes[IS_INIT_AT] !== 1) return null;
      const frames = littleEndian ? bytes.readUInt32LE(FRAMES_AT) : bytes.readUInt32BE(FRAMES_AT);
      return { frames, salts: this.#salts() };
    }
    return null;
  }

  #salts(): string {
    const first = this.#bytes.readUInt32BE(SALTS_AT);
    const second = this.#bytes.readUInt32BE(SALTS_AT + 4);
    if (first !== this.#saltsRead.first || second !== this.#saltsRead.second)
      this.#saltsRead = { first, second, text: this.#bytes.toString("hex", SALTS_AT, SALTS_AT + 8) };
    return this.#saltsRead.text;
  }

  close(): void {
    letGo(this.#shared);
  }
}

/** In words, which for so few bytes is quicker than leaving JavaScript to compare them. */
function copiesAgree(bytes: Buffer): boolean {
  for (let at = 0; at < COPY_BYTES; at += 4)
    if (bytes.readInt32LE(at) !== bytes.readInt32LE(COPY_BYTES + at)) return false;
  return true;
}

interface SharedDescriptor {
  readonly file: string;
  fd: number | null;
  users: number;
}

/** By the resolved path: users are counted before there is a file. */
const descriptors = new Map<string, SharedDescriptor>();

function share(file: string): SharedDescriptor {
  const shared = descriptors.get(file) ?? { file, fd: null, users: 0 };
  shared.users += 1;
  descriptors.set(file, shared);
  return shared;
}

function opened(shared: SharedDescriptor): number | null {
  try {
    shared.fd ??= openSync(shared.file, "r");
    return shared.fd;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function letGo(shared: SharedDescriptor): void {
  shared.users -= 1;
  if (shared.users > 0) return;
  descriptors.delete(shared.file);
  if (shared.fd !== null) closeSync(shared.fd);
}
