import { readSync } from "node:fs";
import {
  frameBytes,
  frameOffset,
  frameSum,
  parseFrameHeader,
  sameSum,
  type FrameHeader,
  type WalSum,
} from "./wal-format.ts";

/** Bytes that can be read from anywhere; a read at the end gives fewer than were asked for. */
export interface ByteSource {
  read(offset: number, length: number): Buffer;
}

export const descriptorSource = (fd: number): ByteSource => ({
  read(offset, length) {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
  },
});

export interface Frame extends FrameHeader {
  readonly number: number;
  readonly offset: number;
  /** Its checksum continues the one *stored* in the frame before it, so that it can be judged behind a bad frame too. */
  readonly follows: boolean;
}

export interface FramesFrom {
  readonly pageSize: number;
  readonly bigEndianSums: boolean;
  /** Number of the first frame to read. */
  readonly first: number;
  /** The checksum stored before it. */
  readonly before: WalSum;
  /** Only frames of this generation are summed up; without it, all are. */
  readonly salts: string | null;
  /** Frames held in memory at once. */
  readonly chunk: number;
}

/** Reads the frames of a log one after the other, in bounded memory. A frame cut short is none. */
export function* walFrames(source: ByteSource, from: FramesFrom): Generator<Frame> {
  const size = frameBytes(from.pageSize);
  let before = from.before;
  let number = from.first;
  for (;;) {
    const bytes = source.read(frameOffset(number, from.pageSize), size * from.chunk);
    const whole = Math.floor(bytes.length / size);
    for (let index = 0; index < whole; index++, number++) {
      const frame = bytes.subarray(index * size, (index + 1) * size);
      const header = parseFrameHeader(frame);
      const ours = from.salts === null || from.salts === header.salts;
      const follows = ours && sameSum(header.stored, frameSum(frame, from.bigEndianSums, before));
      before = header.stored;
      yield { ...header, number, offset: frameOffset(number, from.pageSize), follows };
    }
    if (whole < from.chunk) return;
  }
}
