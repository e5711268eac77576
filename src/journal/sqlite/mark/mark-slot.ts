import { crc32 } from "node:zlib";
import { invariant } from "../../../model/fault.ts";
import type { WalMark } from "../log/wal-index.ts";

/** An event that was acknowledged, by where the store keeps it. */
export interface MarkedEvent {
  readonly runKey: number;
  readonly seq: number;
  readonly hash: string;
}

/** One record of the acknowledged mark. */
export interface MarkRecord {
  /** Null in a record about a commit without events. */
  readonly event: MarkedEvent | null;
  /** What stores of version 1 named instead; it says nothing once such a store was brought to a later version. */
  readonly place: { readonly position: number; readonly hash: string } | null;
  readonly wal: WalMark | null;
}

/** A slot has a disk sector of its own, so that one torn sector leaves the other slots whole. */
export const SLOT_BYTES = 512;
const RECORD_BYTES = 64;
const MAGIC = 0x4846616c;
const RUN_KEY_AT = 4;
const SEQ_AT = 8;
const FRAMES_AT = 12;
const SALTS_AT = 16;
const HAS_WAL_AT = 24;
const HASH_AT = 28;
const HASH_END = 60;
const SUM_AT = 60;
const NO_SALTS = "0".repeat(16);

/** Writes records into the same bytes, one after the other: each is to be written to disk before the next is made. */
export class SlotEncoder {
  readonly #bytes = Buffer.alloc(RECORD_BYTES);
  readonly #summed = this.#bytes.subarray(0, SUM_AT);
  readonly #numbers = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, RECORD_BYTES);
  /** Those that stand in the bytes: they stay the same for hundreds of records. */
  #salts = "";

  encode({ event, wal }: Pick<MarkRecord, "event" | "wal">): Buffer {
    const numbers = this.#numbers;
    numbers.setUint32(0, MAGIC);
    numbers.setUint32(RUN_KEY_AT, event === null ? 0 : event.runKey);
    numbers.setUint32(SEQ_AT, event === null ? 0 : event.seq);
    numbers.setUint32(FRAMES_AT, wal === null ? 0 : wal.frames);
    numbers.setUint8(HAS_WAL_AT, wal === null ? 0 : 1);
    this.#writeSalts(wal === null ? NO_SALTS : wal.salts);
    if (event === null) this.#bytes.fill(0, HASH_AT, HASH_END);
    else
      invariant(
        this.#bytes.write(event.hash, HASH_AT, "hex") === HASH_END - HASH_AT,
        "a hash has 64 hexadecimal digits",
      );
    numbers.setUint32(SUM_AT, crc32(this.#summed));
    return this.#bytes;
  }

  #writeSalts(salts: string): void {
    if (salts === this.#salts) return;
    this.#bytes.write(salts, SALTS_AT, "hex");
    this.#salts = salts;
  }
}

/** Null when the slot was never written, or is damaged. */
export function decodeSlot(slot: Buffer): MarkRecord | null {
  if (slot.length < RECORD_BYTES) return null;
  const magic = slot.readUInt32BE(0);
  if (magic === FIRST_FORMAT.magic) return decodeFirstFormat(slot);
  if (magic !== MAGIC || slot.readUInt32BE(SUM_AT) !== crc32(slot.subarray(0, SUM_AT))) return null;
  const [runKey, seq] = [slot.readUInt32BE(RUN_KEY_AT), slot.readUInt32BE(SEQ_AT)];
  return {
    event: runKey === 0 ? null : { runKey, seq, hash: slot.toString("hex", HASH_AT, HASH_END) },
    place: null,
    wal: slot.readUInt8(HAS_WAL_AT) === 1 ? walIn(slot) : null,
  };
}

const walIn = (slot: Buffer): WalMark => ({
  frames: slot.readUInt32BE(FRAMES_AT),
  salts: slot.toString("hex", SALTS_AT, SALTS_AT + 8),
});

/** As written beside stores of version 1; only read. */
const FIRST_FORMAT = {
  magic: 0x4846616b,
  bytes: 128,
  positionAt: 4,
  hashLengthAt: 10,
  hasWalAt: 11,
  hashAt: 24,
};

function decodeFirstFormat(slot: Buffer): MarkRecord | null {
  const { bytes, positionAt, hashLengthAt, hasWalAt, hashAt } = FIRST_FORMAT;
  if (slot.length < bytes || slot.readUInt32BE(bytes - 4) !== crc32(slot.subarray(0, bytes - 4))) return null;
  const position = slot.readUIntBE(positionAt, 6);
  const hash = slot.toString("utf8", hashAt, hashAt + slot.readUInt8(hashLengthAt));
  return {
    event: null,
    place: position === 0 ? null : { position, hash },
    wal: slot.readUInt8(hasWalAt) === 1 ? walIn(slot) : null,
  };
}
