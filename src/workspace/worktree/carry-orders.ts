export interface CarryOrder {
  readonly key: string;
  readonly project: string;
  /** A worktree of the project in which nobody has worked yet. */
  readonly tree: string;
  /** The commit that the worktree began at; absent where nothing uncommitted is carried. */
  readonly onto?: string;
  /** What is not committed is only named, and nothing of it is copied. */
  readonly nameOnly?: true;
  /** Paths from the project's folder; installed packages, as far as they are found, where left out. */
  readonly paths?: readonly string[];
  readonly atMs: number;
}

export interface Carried {
  /** What was changed in the project and not committed, and is so in the worktree now; the first are named. */
  readonly files: readonly string[];
  readonly count: number;
  readonly paths: readonly string[];
  readonly left: readonly { readonly path: string; readonly why: string }[];
  /** Of what was only named: files that are in the commit, and changed or deleted since. */
  readonly uncarried?: readonly string[];
  /** The command that installs what the project's lock files name. */
  readonly install?: string;
}

export interface Carrying {
  /**
   * Makes a fresh worktree what the user's own folder is: what is not committed, and paths that git ignores. All of it
   * is copied: the one that works in the worktree cannot change the user's files through it. On disk: a snapshot of the
   * user's tree, the files of it by rename, each path made aside and renamed into place, the record. Dying in between
   * leaves a part of that: the same order again completes it.
   */
  carry(order: CarryOrder): Promise<Carried>;
}
