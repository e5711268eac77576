const GAP_MS = 40;
/** Scans that follow hints leave so many times their own duration to the runs. */
const GAP_TIMES = 5;

/**
 * When the store is searched next: now and then, and soon after a hint that something was written. Every append is
 * such a hint, and a look at a large or busy store takes long; so hints bring the next scan forward down to a gap that
 * grows with what a scan takes.
 */
export class ScanPace {
  readonly #everyMs: number;
  #beganAt = -Infinity;
  #gapMs = GAP_MS;
  #next = 0;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  get nextAt(): number {
    return this.#next;
  }

  began(now: number): void {
    this.#beganAt = now;
    this.#next = now + this.#everyMs;
  }

  ended(now: number): void {
    const gapMs = Math.max(GAP_MS, (now - this.#beganAt) * GAP_TIMES);
    this.#gapMs = Math.min(gapMs, Math.max(GAP_MS, this.#everyMs));
  }

  /** Something was written somewhere. */
  hint(): void {
    this.#next = Math.min(this.#next, this.#beganAt + this.#gapMs);
  }

  /** There is a place for another run. */
  atOnce(): void {
    this.#next = 0;
  }
}
