import type { GuardReport, Tampering } from "../model/protected.ts";

export interface WatchOrder {
  readonly tree: string;
  readonly rules: readonly string[];
}

export interface GuardOrder {
  readonly tree: string;
  readonly rules: readonly string[];
  /** Digest of the list of what is trusted. Null where nothing is yet: what is found now is, from now on. */
  readonly trusted: string | null;
  /** Whether what differs is undone, or only told. */
  readonly undo: boolean;
}

/** One difference, for people to look at. */
export interface ShownDifference {
  readonly path: string;
  readonly act: Tampering["act"];
  readonly before: Buffer | null;
  readonly after: Buffer | null;
}

/**
 * The port to protected files.
 *
 * 1. What is trusted is kept in a place of its own, by digest, before it is called trusted.
 * 2. Nothing is removed or overwritten in the tree whose bytes are not kept first, or that is not moved aside whole.
 * 3. Done twice is done once: whatever a kill has left half undone, the next check finds and undoes.
 */
export interface Guard {
  /** Rejects only where the tree cannot be looked at, or the list of what is trusted is gone. */
  check(order: GuardOrder): Promise<GuardReport>;
  /** Calls `stirred` soon after something protected may have changed, until the answer is called. A hint, no proof. */
  watch(order: WatchOrder, stirred: () => void): () => void;
  /** What differs between two lists, with the bytes of both; null stands for an empty one. */
  compare(before: string | null, after: string): Promise<readonly ShownDifference[]>;
}
