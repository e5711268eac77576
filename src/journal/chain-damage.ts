import { chainHash, GENESIS, type StoredEvent } from "./chain.ts";
import type { Damage } from "./journal.ts";

export interface ChainFinding {
  /** The first damage; what follows it cannot be judged, since each record stands on the one before. */
  readonly first: Damage | null;
  readonly lastSeq: number;
  readonly lastHash: string;
}

/**
 * Walks a run's whole chain without decoding: an event of a newer version is unknown, not damaged.
 * Takes any iterable, so that a store can stream millions.
 */
export function chainDamage(run: string, events: Iterable<StoredEvent>): ChainFinding {
  let lastSeq = 0;
  let lastHash = GENESIS;
  for (const event of events) {
    const seq = lastSeq + 1;
    if (event.seq !== seq)
      return { first: { run, seq, what: `event ${String(seq)} is missing` }, lastSeq, lastHash };
    if (event.hash !== chainHash(lastHash, event))
      return { first: { run, seq, what: "its content does not match its hash" }, lastSeq, lastHash };
    lastSeq = seq;
    lastHash = event.hash;
  }
  return { first: null, lastSeq, lastHash };
}
