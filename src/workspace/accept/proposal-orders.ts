interface Place {
  readonly project: string;
  readonly tree: string;
}

interface ProposedChange {
  readonly path: string;
  readonly kind: "added" | "modified" | "removed" | "mode" | "type";
}

export interface CopyOrder extends Place {
  readonly key: string;
  readonly atMs: number;
  /** What the copy's folder is called. */
  readonly name: string;
}

export interface Copy {
  readonly tree: string;
  /** The snapshot that it was made of. */
  readonly base: string;
  /** The commit that the tree was on. */
  readonly commit: string | null;
}

export interface ProposalOrder {
  readonly key: string;
  readonly project: string;
  readonly copy: string;
  readonly base: string;
  /** Rules for protected paths. */
  readonly rules: readonly string[];
  readonly atMs: number;
}

export interface Proposed {
  readonly snapshot: string;
  readonly changes: readonly ProposedChange[];
  /** Of those, the ones that are protected. */
  readonly protected: readonly string[];
  /** Why it cannot be proposed as it is. */
  readonly problems: readonly string[];
  readonly patch: Uint8Array;
}

export interface ApplyOrder extends Place {
  readonly key: string;
  readonly atMs: number;
  readonly base: string;
  readonly snapshot: string;
}

export type Applied =
  | { readonly kind: "applied"; readonly before: string; readonly files: readonly string[] }
  /** These have become something else since; nothing was changed, or what is left was in the way. */
  | { readonly kind: "conflict"; readonly files: readonly string[] };

/** What a workspace does for agents that may not write in the tree. Each order that changes something has a key. */
export interface Proposing {
  /**
   * A copy of a tree, outside of it. On disk: a snapshot of the tree, then the copy file by file, then the record.
   * Dying in between leaves a part of the copy, which the same order again completes.
   */
  copyTree(order: CopyOrder): Promise<Copy>;

  /** What was changed in a copy, kept in a snapshot and reported as a patch. */
  propose(order: ProposalOrder): Promise<Proposed>;

  /**
   * Brings what was changed in a copy into the tree, unless the same files have changed there. On disk: a snapshot of
   * the tree, then whole files one by one, then the record. The same order again goes on where the last one died.
   */
  applyProposal(order: ApplyOrder): Promise<Applied>;

  /** Removes a copy; false where something of it is left. Nothing that is not a copy is removed. */
  dropCopy(order: { readonly project: string; readonly tree: string }): Promise<boolean>;
}
