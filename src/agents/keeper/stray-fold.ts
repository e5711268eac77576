import type { Signal } from "../../model/agent/signals.ts";

/** So many lines without meaning are reported one by one, in each interval. */
export const STRAYS_MAX = 20;
export const STRAYS_EACH_MS = 1_000;

/**
 * Keeps lines that mean nothing to a driver from filling the journal. Beyond a number per interval they are held: what
 * goes on is how many there were, and the last one, whose text may be the agent's last word. Everything that is held is
 * given out before anything that follows it, so a cursor after held lines is never written without them.
 */
export class StrayFold {
  #since = -Infinity;
  #given = 0;
  #left = 0;
  #last: Signal | null = null;

  /** What of these signals goes on now, in their order. */
  take(signals: readonly Signal[], now: number): Signal[] {
    return signals.flatMap((signal) =>
      signal.kind === "unknown" ? this.#stray(signal, now) : [...this.rest(), signal],
    );
  }

  /** What is held. */
  rest(): Signal[] {
    const last = this.#last;
    if (last === null) return [];
    const count = this.#left;
    [this.#left, this.#last] = [0, null];
    return count === 0 ? [last] : [leftOut(count), last];
  }

  /** What has been held for a whole interval. */
  due(now: number): Signal[] {
    return now - this.#since >= STRAYS_EACH_MS ? this.rest() : [];
  }

  #stray(signal: Signal, now: number): Signal[] {
    if (now - this.#since >= STRAYS_EACH_MS) {
      const held = this.rest();
      [this.#since, this.#given] = [now, 1 + held.length];
      return [...held, signal];
    }
    this.#given += 1;
    if (this.#given <= STRAYS_MAX) return [...this.rest(), signal];
    if (this.#last !== null) this.#left += 1;
    this.#last = signal;
    return [];
  }
}

const leftOut = (count: number): Signal => ({
  kind: "unknown",
  text: `[${String(count)} more lines like this are left out here and kept in the spool]`,
});
