import { chainHash, GENESIS, type StoredEvent } from "./chain.ts";
import type { Damage, Head } from "./journal.ts";

/**
 * Walks a run's whole chain up to its head without decoding: an event of a newer version is unknown, not damaged.
 * Names the first damage only, since what follows it cannot be judged: each record stands on the one before.
 * Takes any iterable, so that a store can stream millions.
 */
export function chainDamage(run: string, head: Head, events: Iterable<StoredEvent>): Damage | null {
  let last = { seq: 0, hash: GENESIS };
  for (const event of events) {
    const seq = last.seq + 1;
    if (event.seq !== seq) return { run, seq, what: `event ${String(seq)} is missing` };
    if (event.hash !== chainHash(last.hash, event))
      return { run, seq, what: "its content does not match its hash" };
    last = { seq, hash: event.hash };
  }
  if (last.seq === head.seq && last.hash === head.hash) return null;
  return {
    run,
    seq: last.seq + 1,
    what: `events end at ${String(last.seq)}, on record is ${String(head.seq)}`,
  };
}
