/** How often the holder of a lease had beaten, and since when it was seen so, by one clock that only goes forward. */
export interface SeenBeats {
  readonly epoch: number;
  readonly beats: number;
  readonly since: number;
}

/**
 * What is known of a holder after another look. The first sight of a count of beats stays; a sight from the future was
 * taken before the machine was started again, and counts as none.
 */
export function seenAfter(before: SeenBeats | undefined, now: SeenBeats): SeenBeats {
  const isSame = before?.epoch === now.epoch && before.beats === now.beats && before.since <= now.since;
  return isSame ? before : now;
}

/** A living holder beats at a third of its lease, so that one which does not for a whole lease is taken to be dead. */
export const isSilent = (seen: SeenBeats, now: number, leaseMs: number): boolean =>
  now - seen.since >= leaseMs;

/** One beat is missing: worth noting for processes to come, should this one end before the lease is over. */
export const isQuiet = (seen: SeenBeats, now: number, leaseMs: number): boolean =>
  now - seen.since >= leaseMs / 2;
