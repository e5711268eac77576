import { readSync } from "node:fs";

/** The bytes of SQLite's write-ahead log: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */

export const WAL_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
const MAGIC_LITTLE_ENDIAN_SUMS = 0x377f0682;
const MAGIC_BIG_ENDIAN_SUMS = 0x377f0683;
const WAL_VERSION = 3007000;

/** The running checksum. Each frame's is continued from the one stored in the frame before it. */
export interface WalSum {
  readonly a: number;
  readonly b: number;
}

export interface WalHeader {
  /** False when magic, version, page size or checksum is wrong; the other fields are then only what is written there. */
  readonly sound: boolean;
  readonly bigEndianSums: boolean;
  readonly pageSize: number;
  /** Both salts as written, in hex: the name of this generation of the log. */
  readonly salts: string;
  readonly stored: WalSum;
  readonly computed: WalSum;
}

interface FrameHeader {
  readonly page: number;
  /** Pages of the database after this commit; 0 when the frame does not end a transaction. */
  readonly pagesAfter: number;
  readonly salts: string;
  readonly stored: WalSum;
}

export const isPageSize = (bytes: number): boolean =>
  bytes >= 512 && bytes <= 65536 && (bytes & (bytes - 1)) === 0;

const frameBytes = (pageSize: number): number => FRAME_HEADER_BYTES + pageSize;

/** Where frame `number` (from 1) begins in the file. */
export const frameOffset = (number: number, pageSize: number): number =>
  WAL_HEADER_BYTES + (number - 1) * frameBytes(pageSize);

const sameSum = (x: WalSum, y: WalSum): boolean => x.a === y.a && x.b === y.b;

/** In 32-bit arithmetic throughout, which is what makes it quick. */
export function walSum(bytes: Buffer, bigEndian: boolean, from: WalSum): WalSum {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const littleEndian = !bigEndian;
  let a = from.a | 0;
  let b = from.b | 0;
  for (let at = 0; at < words.byteLength; at += 8) {
    a = (a + words.getInt32(at, littleEndian) + b) | 0;
    b = (b + words.getInt32(at + 4, littleEndian) + a) | 0;
  }
  return { a: a >>> 0, b: b >>> 0 };
}

/** The checksum a whole frame must carry, given the one before it. */
const frameSum = (frame: Buffer, bigEndian: boolean, from: WalSum): WalSum =>
  walSum(frame.subarray(FRAME_HEADER_BYTES), bigEndian, walSum(frame.subarray(0, 8), bigEndian, from));

export function parseWalHeader(bytes: Buffer): WalHeader {
  const magic = bytes.readUInt32BE(0);
  const bigEndianSums = magic === MAGIC_BIG_ENDIAN_SUMS;
  const pageSize = bytes.readUInt32BE(8);
  const stored = { a: bytes.readUInt32BE(24), b: bytes.readUInt32BE(28) };
  const computed = walSum(bytes.subarray(0, 24), bigEndianSums, { a: 0, b: 0 });
  const sound =
    (bigEndianSums || magic === MAGIC_LITTLE_ENDIAN_SUMS) &&
    bytes.readUInt32BE(4) === WAL_VERSION &&
    isPageSize(pageSize) &&
    sameSum(stored, computed);
  return { sound, bigEndianSums, pageSize, salts: bytes.toString("hex", 16, 24), stored, computed };
}

const parseFrameHeader = (frame: Buffer): FrameHeader => ({
  page: frame.readUInt32BE(0),
  pagesAfter: frame.readUInt32BE(4),
  salts: frame.toString("hex", 8, 16),
  stored: { a: frame.readUInt32BE(16), b: frame.readUInt32BE(20) },
});

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
  /**
   * Its checksum continues the one *stored* in the frame before it, so that it can be assessed behind a bad frame too.
   */
  readonly follows: boolean;
}

interface FramesFrom {
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
