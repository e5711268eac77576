export interface OverlapOrder {
  readonly project: string;
  readonly tree: string;
  /** Whose work it is, and since when. */
  readonly run: string;
  readonly since: number;
  readonly base: string;
  readonly snapshot: string;
}

export interface Overlaps {
  /** How many files the tree's own work has changed. */
  readonly own: number;
  /** Others whose work has changed the same, in the order in which they began. */
  readonly peers: readonly {
    readonly run: string;
    readonly since: number;
    readonly files: readonly string[];
    readonly count: number;
  }[];
}
