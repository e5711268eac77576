import { crc32 } from "node:zlib";
import { promise } from "../../model/fault.ts";
import type { WalMark } from "./wal-index.ts";

/** One record of the acknowledged mark. */
export interface MarkRecord {
  /** 0 in a record about a commit without events. */
  readonly position: number;
  readonly hash: string;
  readonly wal: WalMark | null;
}

/** A slot has a disk sector of its own, so that one torn sector leaves the other slots whole. */
export const SLOT_BYTES = 512;
const RECORD_BYTES = 128;
const MAGIC = 0x4846616b;
const HASH_AT = 24;
const HASH_BYTES_MAX = RECORD_BYTES - HASH_AT - 4;

export const blankRecord = (): Buffer => Buffer.alloc(RECORD_BYTES);

/** A writer that has one slot to write after the other may give the buffer to use. */
export function encodeSlot(record: MarkRecord, bytes: Buffer = blankRecord()): Buffer {
  bytes.fill(0);
  const hashBytes = Buffer.byteLength(record.hash);
  promise(hashBytes <= HASH_BYTES_MAX, "a hash fits into a slot of the acknowledged mark");
  bytes.writeUInt32BE(MAGIC, 0);
  bytes.writeUIntBE(record.position, 4, 6);
  bytes.writeUInt8(hashBytes, 10);
  if (record.wal !== null) {
    bytes.writeUInt8(1, 11);
    bytes.writeUInt32BE(record.wal.frames, 12);
    bytes.write(record.wal.salts, 16, "hex");
  }
  bytes.write(record.hash, HASH_AT);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, RECORD_BYTES - 4)), RECORD_BYTES - 4);
  return bytes;
}

/** Null when the slot was never written, or is damaged. */
export function decodeSlot(slot: Buffer): MarkRecord | null {
  if (slot.length < RECORD_BYTES || slot.readUInt32BE(0) !== MAGIC) return null;
  if (slot.readUInt32BE(RECORD_BYTES - 4) !== crc32(slot.subarray(0, RECORD_BYTES - 4))) return null;
  const hasWal = slot.readUInt8(11) === 1;
  return {
    position: slot.readUIntBE(4, 6),
    hash: slot.toString("utf8", HASH_AT, HASH_AT + slot.readUInt8(10)),
    wal: hasWal ? { frames: slot.readUInt32BE(12), salts: slot.toString("hex", 16, 24) } : null,
  };
}
