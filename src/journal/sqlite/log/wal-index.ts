import { closeSync, openSync, readSync } from "node:fs";

/** How far a generation of the log is committed. */
export interface WalMark {
  readonly salts: string;
  readonly frames: number;
}

/** https://www.sqlite.org/walformat.html#the_wal_index_file_format: two copies of a header, in native byte order. */
const COPY_BYTES = 48;
const COPY_WORDS = COPY_BYTES / 4;
const IS_INIT_AT = 12;
const FRAMES_WORD = 4;
const SALTS_AT = 32;
const FIRST_SALT_WORD = 8;
const SECOND_SALT_WORD = 9;
const LOOKS_MAX = 10;

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
  /** In native order, as SQLite writes them. */
  readonly #words = new Uint32Array(2 * COPY_WORDS);
  readonly #bytes = Buffer.from(this.#words.buffer);
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
      if (!copiesAgree(this.#words)) continue;
      if (bytes[IS_INIT_AT] !== 1) return null;
      return { frames: this.#words[FRAMES_WORD] ?? 0, salts: this.#salts() };
    }
    return null;
  }

  #salts(): string {
    const first = this.#words[FIRST_SALT_WORD] ?? 0;
    const second = this.#words[SECOND_SALT_WORD] ?? 0;
    if (first !== this.#saltsRead.first || second !== this.#saltsRead.second)
      this.#saltsRead = { first, second, text: this.#bytes.toString("hex", SALTS_AT, SALTS_AT + 8) };
    return this.#saltsRead.text;
  }

  close(): void {
    letGo(this.#shared);
  }
}

/** In words, which for so few bytes is quicker than leaving JavaScript to compare them. */
function copiesAgree(words: Uint32Array): boolean {
  for (let at = 0; at < COPY_WORDS; at += 1) if (words[at] !== words[COPY_WORDS + at]) return false;
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
