import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import type { World } from "../../../model/world.ts";
import { sideFile } from "../mark/acknowledged-mark.ts";
import { frameOffset, WAL_HEADER_BYTES } from "./wal-format.ts";
import type { WalMark } from "./wal-index.ts";

/**
 * Keeps room ahead of the end of the write-ahead log. SQLite begins every log as an empty file, and a commit that
 * makes the file longer waits for its new length and place on the disk as well, which takes much longer than writing
 * over what is there already.
 *
 * States: *waiting* for the first few commits, so that a short command does not pay for room it never fills; then
 * *ahead*; *without* for good once the system refuses, such as on a full disk.
 *
 * 1. Zeros are only ever put behind the end of the file, and only inside a write transaction, when nobody else writes
 *    to the log: nothing that stands there is written over.
 * 2. A frame of zeros is of no generation. SQLite stops reading there, and so does `wal-scan.ts`, as both do at frames
 *    that an earlier generation left behind.
 * 3. Nobody counts on the room: it is not synced by itself, and after a kill or a power loss there is only less of it.
 *    A commit that finds none makes the file longer, or says that the disk is full.
 */
export interface LogRoom {
  /** Whether a commit is to be preceded by `makeAhead`. */
  readonly isShort: boolean;
  /** Inside a write transaction, before its frames are written. */
  makeAhead(): void;
  /** After a commit: how far the log is committed. */
  committed(log: WalMark | null): void;
  close(): void;
}

const COMMITS_BEFORE = 16;
/** Most commits write fewer. */
const FRAMES_AHEAD = 16;
const ROOM_BYTES = 512 * 1_024;

export interface LogRoomOptions {
  readonly file: string;
  readonly world: World;
  readonly pageSize: number;
  /** A longer log is cut by SQLite when it starts over, and gets no more room. */
  readonly bytesMax: number;
}

export const logRoom = (options: LogRoomOptions): LogRoom => new Room(options);

class Room implements LogRoom {
  readonly #options: LogRoomOptions;
  readonly #log: string;
  #fd: number | null = null;
  #commits = 0;
  #frames = 0;
  #salts = "";
  /** How long the file is at least, as far as is known of this generation. */
  #bytes = 0;
  #refused = false;

  constructor(options: LogRoomOptions) {
    this.#options = options;
    this.#log = sideFile(options.file, "-wal");
  }

  committed(log: WalMark | null): void {
    this.#commits += 1;
    this.#frames = log?.frames ?? 0;
    if (log === null || log.salts === this.#salts) return;
    this.#salts = log.salts;
    this.#bytes = 0;
  }

  get isShort(): boolean {
    if (this.#commits < COMMITS_BEFORE || this.#refused) return false;
    const needed = this.#needed();
    return needed > this.#bytes && needed <= this.#options.bytesMax;
  }

  #needed(): number {
    return frameOffset(this.#frames + FRAMES_AHEAD, this.#options.pageSize);
  }

  makeAhead(): void {
    if (!this.isShort) return;
    if (this.#extend(this.#needed())) this.#options.world.crashPoint("journal.room.after");
  }

  #extend(needed: number): boolean {
    try {
      this.#fd ??= openSync(this.#log, "r+");
      this.#bytes = fstatSync(this.#fd).size;
      if (this.#bytes >= needed || this.#bytes < WAL_HEADER_BYTES) return false;
      this.#bytes += writeSync(this.#fd, Buffer.alloc(ROOM_BYTES), 0, ROOM_BYTES, this.#bytes);
      return true;
    } catch {
      this.#refused = true;
      return false;
    }
  }

  /** SQLite keeps its locks on the database and on the index of the log, never on the log: closing drops none. */
  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }
}
