import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { diskFault } from "./disk-fault.ts";
import { decodeSlot, encodeSlot, SLOT_BYTES, type MarkRecord } from "./mark-slot.ts";
import { sideFile } from "./side-file.ts";
import { syncFolder } from "./sync-folder.ts";
import { WalTail } from "./wal-tail.ts";

/**
 * Remembers, in a small file beside the store, how far the journal was acknowledged: a damaged last transaction
 * looks to SQLite exactly like a torn one, and would be dropped in silence.
 *
 * States: two slots, written alternately; the newer good one counts, a bad one falls back to the other, and with
 * both bad nothing is known.
 *
 * 1. Written only after a commit is on disk, so what it says is never more than what was acknowledged.
 * 2. Not synced: it survives a kill in the page cache, and after a power loss may only be older, which is harmless.
 *    Only its creation is synced, so that a store without a mark is known to have lost it.
 * 3. Any number of processes write it, in any order: one that lost a race leaves a lower value, which still holds.
 * 4. It also says how far the log was committed, which covers transactions that recorded no event.
 */
export interface AcknowledgedMark {
  last(): { readonly position: number; readonly hash: string } | null;
  /** To be called after every commit, also of one without events (then with the position and hash as they are). */
  note(position: number, hash: string): void;
  close(): void;
}

const BLANK: MarkRecord = { turn: 0, position: 0, hash: "", wal: null };

export function openAcknowledgedMark(file: string): AcknowledgedMark {
  const path = sideFile(file, "-ack");
  try {
    return new MarkFile(path, sideFile(file, "-wal"));
  } catch (error) {
    throw diskFault(error, "open the acknowledged mark", path);
  }
}

/** What the mark says, without creating it; null when there is none or nothing in it can be trusted. */
export function readMark(file: string): MarkRecord | null {
  const path = sideFile(file, "-ack");
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw diskFault(error, "read the acknowledged mark", path);
  }
  try {
    return newest(readSlots(fd));
  } finally {
    closeSync(fd);
  }
}

class MarkFile implements AcknowledgedMark {
  readonly #path: string;
  readonly #fd: number;
  readonly #tail: WalTail;

  constructor(path: string, walFile: string) {
    this.#path = path;
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o644);
    this.#tail = new WalTail(walFile);
    if (fstatSync(this.#fd).size === 0) this.#layOut();
  }

  last(): { position: number; hash: string } | null {
    const record = newest(readSlots(this.#fd));
    return record === null || record.position === 0 ? null : { position: record.position, hash: record.hash };
  }

  note(position: number, hash: string): void {
    try {
      const slots = readSlots(this.#fd);
      const known = newest(slots) ?? BLANK;
      const ahead = known.position > position ? known : { position, hash };
      const wal = this.#tail.committed();
      const record = { turn: known.turn + 1, position: ahead.position, hash: ahead.hash, wal };
      writeSync(this.#fd, encodeSlot(record), 0, null, slots[0] === known ? SLOT_BYTES : 0);
    } catch (error) {
      throw diskFault(error, "write the acknowledged mark", this.#path);
    }
  }

  close(): void {
    this.#tail.close();
    closeSync(this.#fd);
  }

  #layOut(): void {
    const bytes = Buffer.alloc(2 * SLOT_BYTES);
    encodeSlot(BLANK).copy(bytes);
    writeSync(this.#fd, bytes, 0, null, 0);
    fsyncSync(this.#fd);
    syncFolder(dirname(this.#path));
  }
}

function readSlots(fd: number): [MarkRecord | null, MarkRecord | null] {
  const bytes = Buffer.alloc(2 * SLOT_BYTES);
  readSync(fd, bytes, 0, bytes.length, 0);
  return [decodeSlot(bytes.subarray(0, SLOT_BYTES)), decodeSlot(bytes.subarray(SLOT_BYTES))];
}

function newest([first, second]: [MarkRecord | null, MarkRecord | null]): MarkRecord | null {
  if (first === null || second === null) return first ?? second;
  return second.turn > first.turn ? second : first;
}
