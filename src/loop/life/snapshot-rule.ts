/** What reopening a run would read, as far as it is known when a life begins. */
export interface ReadSoFar {
  readonly snapshotSeq: number;
  readonly snapshotBytes: number;
  readonly bytesSince: number;
}

const EVENTS_MIN = 1_000;
const BYTES_MIN = 4 * 1_024 * 1_024;
const EVENTS_MAX = 10_000;
const LIVE_TIMES_MAX = 2;

/**
 * When a snapshot is worth writing.
 *
 * A list that only grows is read from its events as cheaply as from a snapshot, and a snapshot of it is the whole of
 * it once more. So one is written when reopening would read twice what is alive, or fold four times as many events
 * as the last snapshot stands for; never for a few. How much is alive is looked up no more often than it could matter.
 */
export class SnapshotRule {
  #seq: number;
  #snapshotBytes: number;
  #bytesSince: number;
  /** Below this many bytes to read there is nothing to decide. */
  #lookAt = 0;

  constructor({ snapshotSeq, snapshotBytes, bytesSince }: ReadSoFar) {
    this.#seq = snapshotSeq;
    this.#snapshotBytes = snapshotBytes;
    this.#bytesSince = bytesSince;
  }

  folded(bytes: number): void {
    this.#bytesSince += bytes;
  }

  isDue(seq: number, liveBytes: () => number): boolean {
    const since = seq - this.#seq;
    if (since < EVENTS_MIN && this.#bytesSince < BYTES_MIN) return false;
    if (since >= Math.max(EVENTS_MAX, 3 * this.#seq)) return true;
    const read = this.#snapshotBytes + this.#bytesSince;
    if (read < this.#lookAt) return false;
    this.#lookAt = LIVE_TIMES_MAX * liveBytes();
    return read >= this.#lookAt;
  }

  written(seq: number, bytes: number): void {
    this.#seq = seq;
    this.#snapshotBytes = bytes;
    this.#bytesSince = 0;
    this.#lookAt = 0;
  }
}
