import { isThere } from "./files/session-over.ts";
import { closeSync, constants, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "./files/plain-file.ts";
import { hostKey, type ProcessIdentity } from "./model/world.ts";

/** Room for any id; what is shorter is filled up, so that one write replaces the whole. */
const RECORD_BYTES = 256;
const PREFIX = "turn-";

/** Processes of other machines and containers have pids of their own. */
const prefixOf = (self: ProcessIdentity): string => `${PREFIX}${hostKey(self).replaceAll(/[^\w.-]/g, "_")}-`;

/**
 * In whose turn a process is, in a file of a few bytes that is written over in place: a write into memory of the
 * system, which outlives the process and costs a few microseconds. Not synced: a machine that dies is nobody's turn.
 *
 * States: none (before the first turn, or where the file cannot be written) → named during a turn → empty → … → none.
 */
export class TurnFile {
  readonly #folder: string;
  readonly #self: ProcessIdentity;
  #fd: number | "refused" | null = null;

  constructor(folder: string, self: ProcessIdentity) {
    this.#folder = folder;
    this.#self = self;
  }

  /** Names the run before, and takes the name back after, no matter what becomes of it. */
  during<T>(run: string, work: () => T): T {
    this.#write(run);
    try {
      return work();
    } finally {
      this.#write("");
    }
  }

  /** In whose turn another process of this host was when it ended; null for nobody's. It is forgotten by this. */
  take(pid: number): string | null {
    const file = this.#fileOf(pid);
    try {
      const run = (plainText(file, { bytesMax: RECORD_BYTES_MAX }) ?? "").trim();
      rmSync(file, { force: true });
      return run === "" ? null : run;
    } catch {
      return null;
    }
  }

  close(): void {
    if (typeof this.#fd !== "number") return;
    closeSync(this.#fd);
    this.#fd = null;
    rmSync(this.#fileOf(this.#self.pid), { force: true });
  }

  #write(run: string): void {
    try {
      this.#fd ??= this.#open();
      if (this.#fd !== "refused") writeSync(this.#fd, run.padEnd(RECORD_BYTES), 0);
    } catch {
      // Without the file an abort is nobody's, as before; the turn itself must not suffer from it.
      this.#fd = "refused";
    }
  }

  #open(): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#removeOld();
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
    return openSync(this.#fileOf(this.#self.pid), flags, 0o600);
  }

  /** Those of processes that were killed stay: nobody asks for them any more. */
  #removeOld(): void {
    const prefix = prefixOf(this.#self);
    for (const name of readdirSync(this.#folder)) {
      if (!name.startsWith(prefix) || isThere(Number(name.slice(prefix.length)))) continue;
      rmSync(path.join(this.#folder, name), { force: true });
    }
  }

  #fileOf(pid: number): string {
    return path.join(this.#folder, `${prefixOf(this.#self)}${String(pid)}`);
  }
}
