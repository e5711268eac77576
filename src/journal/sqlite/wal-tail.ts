import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import {
  FRAME_HEADER_BYTES,
  frameOffset,
  parseWalHeader,
  WAL_HEADER_BYTES,
  type WalSum,
} from "./wal-format.ts";
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
  frames: number;
  sum: WalSum;
}

const FRAMES_AT_ONCE = 8;

export const descriptorSource = (fd: number): ByteSource => ({
  read(offset, length) {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
  },
});

/**
 * Follows the committed end of a live write-ahead log, reading only what was added since the last look.
 *
 * States: *closed* until the log exists; *following* one generation from its first frame on; back to the first
 * frame when the log was begun anew, or when the frame we stand on was overwritten (its transaction was given up
 * by its writer after we saw it). Nothing here locks: SQLite locks the database and the index, never the log.
 */
export class WalTail {
  readonly #file: string;
  #fd: number | null = null;
  #followed: Followed | null = null;

  constructor(walFile: string) {
    this.#file = walFile;
  }

  committed(): WalMark | null {
    const fd = this.#descriptor();
    if (fd === null) return null;
    const source = descriptorSource(fd);
    const followed = this.#generation(source);
    if (followed === null) return null;
    const from = { ...followed, first: followed.frames + 1, before: followed.sum, chunk: FRAMES_AT_ONCE };
    for (const frame of walFrames(source, from)) {
      if (!frame.follows || frame.salts !== followed.salts || frame.page === 0) break;
      if (frame.pagesAfter === 0) continue;
      followed.frames = frame.number;
      followed.sum = frame.stored;
    }
    return { salts: followed.salts, frames: followed.frames };
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    this.#followed = null;
  }

  #descriptor(): number | null {
    if (this.#fd !== null && fstatSync(this.#fd).nlink === 0) this.close();
    try {
      this.#fd ??= openSync(this.#file, "r");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    return this.#fd;
  }

  #generation(source: ByteSource): Followed | null {
    const head = source.read(0, WAL_HEADER_BYTES);
    if (head.length < WAL_HEADER_BYTES) return null;
    const known = this.#followed;
    if (known !== null && head.equals(known.head) && stillThere(source, known)) return known;
    const header = parseWalHeader(head);
    const { pageSize, bigEndianSums, salts, stored } = header;
    this.#followed = header.sound ? { head, pageSize, bigEndianSums, salts, frames: 0, sum: stored } : null;
    return this.#followed;
  }
}

function stillThere(source: ByteSource, known: Followed): boolean {
  if (known.frames === 0) return true;
  const header = source.read(frameOffset(known.frames, known.pageSize), FRAME_HEADER_BYTES);
  return (
    header.length === FRAME_HEADER_BYTES &&
    header.readUInt32BE(16) === known.sum.a &&
    header.readUInt32BE(20) === known.sum.b
  );
}
