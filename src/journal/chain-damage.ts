import { chainHash, GENESIS, type StoredEvent } from "./chain.ts";
import type { Damage, Head } from "./journal.ts";

/**
 * Walks a run's whole chain up to its head without decoding: an event of a newer version is unknown, not damaged.
 * Names the first damage only, since what follows it cannot be assessed: each record stands on the one before.
 * Takes any iterable, so that a store can stream millions.
 */
export function chainDamage(run: string, head: Head, events: Iterable<StoredEvent>): Damage | null {
  const walk = chainWalk(run);
  return walk.on(events) ?? walk.end(head);
}

/** The same walk in several stretches, for a store that reads page by page. */
export interface ChainWalk {
  /** The seq of the last event walked over. */
  readonly seq: number;
  on(events: Iterable<StoredEvent>): Damage | null;
  end(head: Head): Damage | null;
}

export function chainWalk(run: string): ChainWalk {
  let last = { seq: 0, hash: GENESIS };
  return {
    get seq() {
      return last.seq;
    },
    on(events) {
      for (const event of events) {
        const seq = last.seq + 1;
        if (event.seq !== seq) return { run, seq, what: `event ${String(seq)} is missing` };
        if (event.hash !== chainHash(last.hash, event))
          return { run, seq, what: "its content does not match its hash" };
        last = { seq, hash: event.hash };
      }
      return null;
    },
    end(head) {
      if (last.seq === head.seq && last.hash === head.hash) return null;
      return {
        run,
        seq: last.seq + 1,
        what: `events end at ${String(last.seq)}, on record is ${String(head.seq)}`,
      };
    },
  };
}
