import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  realpathSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { diskFault } from "../disk-fault.ts";
import { WalIndex, type WalMark } from "../log/wal-index.ts";
import { decodeSlot, type MarkedEvent, type MarkRecord, SLOT_BYTES, SlotEncoder } from "./mark-slot.ts";

/** A file that stands beside the database. SQLite puts its log beside what a link points to, and so do we. */
export const sideFile = (file: string, suffix: "-wal" | "-shm" | "-ack" | "-room"): string =>
  `${resolved(file)}${suffix}`;

function resolved(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return join(dirname(file), basename(file));
  }
}

/**
 * Remembers, in a small file beside the store, which events were acknowledged last: a damaged last transaction
 * looks to SQLite exactly like a torn one, and would be dropped in silence.
 *
 * States: two slots for commits with events and two for commits without, each pair written alternately. Every
 * good slot holds; a bad one is ignored, which falls back to the one written before; with all bad nothing is known.
 *
 * 1. Written only after a commit is on disk, so what it says is never more than what is there.
 * 2. Not synced: it survives a kill in the page cache, and after a power loss may only be older, which is harmless.
 *    Only its creation is synced, so that a store without a mark is known to have lost it.
 * 3. Any number of processes write it, in any order, and nobody reads before writing: who comes late leaves an
 *    earlier event, which still holds.
 * 4. It also says how far the log was committed, which covers transactions that recorded no event. After one of these
 *    it is the log's very end; beside an event it may be that of a few commits before.
 */
export interface AcknowledgedMark {
  /** What can be trusted of it. */
  records(): MarkRecord[];
  /**
   * To be called after every commit on disk, before it is acknowledged; with null if it recorded no event. Answers how
   * far the log is committed at least, as far as that is known.
   */
  note(event: MarkedEvent | null): WalMark | null;
  close(): void;
}

const SLOTS = 4;
/** Of commits with an event, one in so many says how far the log is; each read costs a lone writer some of its rate. */
const COMMITS_PER_READ = 4;
const BLANK = { event: null, wal: null };

export function openAcknowledgedMark(file: string): AcknowledgedMark {
  const path = sideFile(file, "-ack");
  try {
    return new MarkFile(path, sideFile(file, "-shm"));
  } catch (error) {
    throw diskFault(error, "open the acknowledged mark", path);
  }
}

/** What can be trusted of a store's mark, without creating it: nothing, if it is lost. */
export function readMark(file: string): MarkRecord[] {
  const path = sideFile(file, "-ack");
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw diskFault(error, "read the acknowledged mark", path);
  }
  try {
    return goodSlots(fd);
  } finally {
    closeSync(fd);
  }
}

class MarkFile implements AcknowledgedMark {
  readonly #path: string;
  readonly #fd: number;
  readonly #log: WalIndex;
  readonly #slots = new SlotEncoder();
  #turn = 0;
  #wal: WalMark | null = null;
  /** Commits since the log's end was read. */
  #notRead = 0;

  constructor(path: string, indexFile: string) {
    this.#path = path;
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      if (fstatSync(this.#fd).size === 0) this.#layOut();
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
    this.#log = new WalIndex(indexFile);
  }

  records(): MarkRecord[] {
    return goodSlots(this.#fd);
  }

  note(event: MarkedEvent | null): WalMark | null {
    try {
      const wal = this.#committed(event === null);
      const record = this.#slots.encode({ event, wal });
      this.#turn = 1 - this.#turn;
      const slot = (event === null ? 2 : 0) + this.#turn;
      writeSync(this.#fd, record, 0, record.length, slot * SLOT_BYTES);
      return wal;
    } catch (error) {
      throw diskFault(error, "write the acknowledged mark", this.#path);
    }
  }

  /** What was read a few commits ago still holds, and the event of each of them is named by itself. */
  #committed(isNamedByLog: boolean): WalMark | null {
    this.#notRead += 1;
    if (!isNamedByLog && this.#wal !== null && this.#notRead < COMMITS_PER_READ) return this.#wal;
    this.#notRead = 0;
    this.#wal = this.#log.committed();
    return this.#wal;
  }

  close(): void {
    this.#log.close();
    closeSync(this.#fd);
  }

  #layOut(): void {
    const bytes = Buffer.alloc(SLOTS * SLOT_BYTES);
    for (let slot = 0; slot < SLOTS; slot++) this.#slots.encode(BLANK).copy(bytes, slot * SLOT_BYTES);
    writeSync(this.#fd, bytes, 0, bytes.length, 0);
    fsyncSync(this.#fd);
    syncFolder(dirname(this.#path));
  }
}

function goodSlots(fd: number): MarkRecord[] {
  const bytes = Buffer.alloc(SLOTS * SLOT_BYTES);
  readSync(fd, bytes, 0, bytes.length, 0);
  const slots = Array.from({ length: SLOTS }, (_, slot) => decodeSlot(bytes.subarray(slot * SLOT_BYTES)));
  return slots.filter((record) => record !== null);
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
