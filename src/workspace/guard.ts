import type { GuardReport, Tampering } from "../model/flow/protected.ts";

export interface WatchOrder {
  readonly tree: string;
  readonly rules: readonly string[];
}

export interface GuardOrder {
  readonly tree: string;
  readonly rules: readonly string[];
  /** Digest of the list of what is trusted. Null where nothing is yet: what is found now is, from now on. */
  readonly trusted: string | null;
  /** Whether what differs is undone, or only reported. */
  readonly undo: boolean;
}

export interface ReturnOrder {
  readonly tree: string;
  readonly rules: readonly string[];
  readonly trusted: string | null;
  readonly files: readonly { readonly path: string; readonly found: string }[];
}

export interface UnpackOrder {
  readonly tree: string;
  readonly rules: readonly string[];
  readonly trusted: string;
  readonly copies: readonly Uint8Array[];
}

export interface BroughtRepository {
  readonly files: number;
  /** Where that is which stood in its place; null where nothing did. */
  readonly aside: string | null;
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
 * 3. Done twice is done once: everything a kill has left half undone, the next check finds and undoes.
 */
export interface Guard {
  /** Rejects only where the tree cannot be looked at, or the list of what is trusted is gone. */
  check(order: GuardOrder): Promise<GuardReport>;
  /** Calls `stirred` soon after something protected may have changed, until the answer is called. A hint, no proof. */
  watch(order: WatchOrder, stirred: () => void): () => void;
  /**
   * Puts files that were found, and undone, into the tree again, and answers the list of what is trusted with them. On
   * disk: the files by rename, then the list. Nobody trusts it yet: the next look would undo the files again.
   */
  returnFiles(order: ReturnOrder): Promise<{ readonly trusted: string; readonly paths: number }>;
  /**
   * Puts the kept copy of a tree's repository in the place of what is missing or damaged, which is put aside. Null where
   * nothing is wrong with it, or none was kept.
   */
  bringRepository(tree: string): Promise<BroughtRepository | null>;
  /** The list of what is trusted, and the bytes that files are brought back from. */
  pack(trusted: string): Promise<readonly { readonly digest: string; readonly bytes: Uint8Array }[]>;
  /** Takes over a list that was packed elsewhere, and answers it as the files look here. On disk: the copies, the list. */
  unpack(order: UnpackOrder): Promise<string>;
  /** What differs between two lists, with the bytes of both; null stands for an empty one. */
  compare(before: string | null, after: string): Promise<readonly ShownDifference[]>;
}
