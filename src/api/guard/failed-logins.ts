/**
 * Slows down repeated wrong tokens.
 *
 * 1. Each peer may fail so often at once, and again as time passes; what is beyond is refused without being looked at
 *    further. A valid token is accepted all the same: it cannot be found by trying, and its holder must not be locked out.
 * 2. The number of peers that are remembered is bounded: the longest unseen is forgotten.
 */
export interface FailedLogins {
  /** Counts a failure; answers for how many milliseconds the peer has to wait, 0 for none. */
  failed(peer: string): number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const AT_ONCE = 10;
const REFILL_MS = 2_000;
const PEERS_MAX = 10_000;

/** `steadyMs`: a clock that is never set. */
export function failedLogins(steadyMs: () => number): FailedLogins {
  const buckets = new Map<string, Bucket>();
  return {
    failed(peer) {
      const now = steadyMs();
      const before = buckets.get(peer) ?? { tokens: AT_ONCE, at: now };
      const tokens = Math.min(AT_ONCE, before.tokens + (now - before.at) / REFILL_MS);
      buckets.delete(peer);
      buckets.set(peer, { tokens: Math.max(0, tokens - 1), at: now });
      if (buckets.size > PEERS_MAX)
        for (const oldest of [...buckets.keys()].slice(0, 1)) buckets.delete(oldest);
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) * REFILL_MS);
    },
  };
}
