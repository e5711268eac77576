import { closeSync, openSync, readSync } from "node:fs";
import { frameOffset, parseWalHeader, WAL_HEADER_BYTES, type WalSum } from "./wal-format.ts";
import { walFrames, type ByteSource } from "./wal-frames.ts";

/** How far a generation of the log is committed. */
export interface WalMark {
  readonly salts: string;
  readonly frames: number;
}

interface Followed {
  readonly head: Buffer;
  readonly pageSize: number;
  readonly bigEndianSums: boolean;
  readonly salts: string;
  /** The header's checksum, which the first frame continues. */
  readonly first: WalSum;
  /** Committed frames seen so far, and the checksum stored in the last of them. */
  frames: number;
  sum: WalSum;
}

/** An ordinary commit fits; a longer one takes another read. */
const FRAMES_AT_ONCE = 6;

/**
 * Follows the committed end of a live write-ahead log, reading only what was added since the last look.
 *
 * States: *closed* until the log exists; *following* one generation from its first frame on; back to the first
 * frame when the log was begun anew, or when the frame we stand on was overwritten (its transaction was given up
 * by its writer after we saw it).
 *
 * 1. Used only while a connection to the database is open, so the log is never deleted under us.
 * 2. Takes no locks and drops none: SQLite locks the database and the index, never the log.
 */
export class WalTail {
  readonly #file: string;
  readonly #source: ByteSource = { read: (offset, length) => this.#read(offset, length) };
  #fd: number | null = null;
  #bytes = Buffer.alloc(0);
  #followed: Followed | null = null;

  constructor(walFile: string) {
    this.#file = walFile;
  }

  committed(): WalMark | null {
    const followed = this.#open() ? this.#generation() : null;
    if (followed === null) return null;
    // New frames that continue the last one prove that it is still there, so it is looked at only without them.
    if (!this.#advance(followed) && !this.#stillThere(followed)) {
      followed.frames = 0;
      followed.sum = followed.first;
      this.#advance(followed);
    }
    return { salts: followed.salts, frames: followed.frames };
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    this.#followed = null;
  }

  #open(): boolean {
    try {
      this.#fd ??= openSync(this.#file, "r");
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      return false;
    }
  }

  #generation(): Followed | null {
    const head = this.#read(0, WAL_HEADER_BYTES);
    if (head.length < WAL_HEADER_BYTES) return null;
    if (this.#followed?.head.equals(head) === true) return this.#followed;
    const { sound, pageSize, bigEndianSums, salts, stored } = parseWalHeader(head);
    const begun = { pageSize, bigEndianSums, salts, frames: 0, first: stored, sum: stored };
    this.#followed = sound ? { head: Buffer.from(head), ...begun } : null;
    return this.#followed;
  }

  /** True if there was something new. */
  #advance(followed: Followed): boolean {
    const { pageSize, bigEndianSums, frames, sum } = followed;
    const from = { pageSize, bigEndianSums, first: frames + 1, before: sum, chunk: FRAMES_AT_ONCE };
    for (const frame of walFrames(this.#source, from)) {
      if (!frame.follows || frame.salts !== followed.salts || frame.page === 0) break;
      if (frame.pagesAfter === 0) continue;
      followed.frames = frame.number;
      followed.sum = frame.stored;
    }
    return followed.frames > frames;
  }

  #stillThere(known: Followed): boolean {
    if (known.frames === 0) return true;
    const sum = this.#read(frameOffset(known.frames, known.pageSize) + 16, 8);
    return sum.length === 8 && sum.readUInt32BE(0) === known.sum.a && sum.readUInt32BE(4) === known.sum.b;
  }

  /** What it gives holds until the next read: one buffer serves them all. */
  #read(offset: number, length: number): Buffer {
    if (this.#fd === null) return Buffer.alloc(0);
    if (this.#bytes.length < length) this.#bytes = Buffer.alloc(length);
    return this.#bytes.subarray(0, readSync(this.#fd, this.#bytes, 0, length, offset));
  }
}
