import type {
  CommitComparison,
  Committed,
  CommitOrder,
  Head,
  MergeBegun,
  MergeOrder,
  MergeTrial,
  TakeInOrder,
  TakenIn,
} from "./accept/commit-orders.ts";
import type { Carrying } from "./worktree/carry-orders.ts";
import type { Look, LookOrder } from "./accept/look-orders.ts";
import type { OverlapOrder, Overlaps } from "./accept/overlap-orders.ts";
import type { Proposing } from "./accept/proposal-orders.ts";
import type { Rehearsing } from "./accept/rehearse-orders.ts";
import type { Remote } from "./remote/remote-orders.ts";
import type { Sealing } from "./protect/seal-orders.ts";
import type {
  MendOrder,
  Mended,
  Worktree,
  WorktreeOrder,
  WorktreePlace,
  WorktreePlaceOrder,
} from "./worktree/worktree-orders.ts";

/**
 * The port to trees of files: snapshots, restores, worktrees, commits.
 *
 * A *project* is the folder of a user's repository (or any folder); a *tree* is where work is done: the project itself
 * or a worktree of it. All trees of a project share one *store*: a git directory of Holdfast's own, outside the tree,
 * with objects, refs and an index per tree. Git never reads configuration there that an agent can write.
 *
 * 1. Nothing of the user's is touched by looking: branch, index, stash, reflog, hooks and configuration stay as is.
 * 2. Every order that changes something carries a key. The same key again gives the recorded answer and does nothing.
 * 3. Nothing is removed or overwritten in a tree before its bytes are in a verified snapshot (I10).
 * 4. A process may die at any instant: the same order again finishes it. What is on disk is reported at each method.
 * 5. Of one project one order runs at a time, across processes; others wait.
 *
 * Paths in facts are relative to the tree, with `/`, for people and for rules; a name that is no UTF-8 shows `\ufffd`.
 */
export interface Workspace extends Proposing, Sealing, Carrying, Rehearsing, Remote {
  /**
   * Takes the whole tree, untracked files included. On disk: objects first, then a ref that holds the commit, then
   * the record under the key. Dying in between leaves objects nobody refers to, or a ref without a record: the same
   * order again takes the tree as it is by then.
   */
  snapshot(order: SnapshotOrder): Promise<Snapshot>;

  /**
   * Makes the tree what it was, in files, modes, links and folders. On disk: first a verified snapshot of what is
   * there (`before`), then file after file by rename, then the record. Dying in between leaves a mixture of whole
   * files, each of which is in `before` or in the target: the same order again goes on.
   */
  restore(order: RestoreOrder): Promise<Restored>;

  /** How a tree differs now from what was seen of it. On disk: nothing that stays. */
  look(order: LookOrder): Promise<Look>;

  /** Reads back every object of a snapshot and compares it with its digest. */
  verify(place: Place, snapshot: string): Promise<Verification>;

  /** What differs between two snapshots of one project. */
  compare(place: Place, from: string, to: string): Promise<Comparison>;

  /** How many lines were added and removed between two snapshots, and how many files have no lines. Reads only. */
  countLines(
    place: Place,
    from: string,
    to: string,
  ): Promise<{ readonly lines: number; readonly binary: number }>;

  /** The bytes of one file of a snapshot; null where it holds no such file. A link's bytes are its target. */
  readFile(place: Place, snapshot: string, path: string): Promise<Uint8Array | null>;

  /** What is recorded of a tree, oldest first; of all trees of the project where no tree is named. */
  snapshots(project: string, tree?: string): Promise<readonly Snapshot[]>;

  /**
   * Forgets snapshots by their keys, and later frees what no other snapshot holds. On disk: records first, then refs,
   * then objects. Dying in between keeps too much, never too little.
   */
  release(order: ReleaseOrder): Promise<Released>;

  /**
   * A worktree on its own branch. On disk: the branch, then git's record of the worktree, then the files. Dying in
   * between leaves a part of that: the same order again completes it.
   */
  createWorktree(order: WorktreeOrder): Promise<Worktree>;

  /** Where the worktree of that name is to stand, for a folder of the project or inside of it. Reads only. */
  placeFor(order: WorktreePlaceOrder): Promise<WorktreePlace>;

  /**
   * Removes a worktree once all of it, ignored files included, is in a verified snapshot. The branch stays. On disk:
   * the snapshot, then the folder under another name, then git's record. What cannot be kept is not removed.
   */
  removeWorktree(order: RemoveWorktreeOrder): Promise<WorktreeRemoval>;

  /**
   * Makes a worktree again of which the branch, the folder or git's record was deleted; null where nothing is missing.
   * On disk: the branch, a note, the record, the files of the branch, those of the tree's last snapshot. The same order
   * again goes on.
   */
  mendWorktree(order: MendOrder): Promise<Mended | null>;

  /** The commit that a branch of the project is on; null where there is no such branch. Reads only. */
  branchCommit(project: string, branch: string): Promise<string | null>;

  /** Deletes a branch that is on that commit; false where it is not any more. On disk: the branch, then our ref for it. */
  dropBranch(order: {
    readonly project: string;
    readonly branch: string;
    readonly commit: string;
  }): Promise<boolean>;

  /** Those that stand now. */
  worktrees(project: string): Promise<readonly Worktree[]>;

  /** Where HEAD of a tree stands. Reads only. */
  head(tree: string): Promise<Head>;

  /** How one commit of the user's repository stands to another. Reads only. */
  compareCommits(place: Place, from: string, to: string): Promise<CommitComparison>;

  /** Whether two commits can be merged, and where they cannot. Nothing but objects is written. */
  tryMerge(place: Place, ours: string, theirs: string): Promise<MergeTrial>;

  /**
   * Commits exactly these files as they are in the tree, onto the branch that is expected there. On disk: objects,
   * then the branch, then the index entries of these files. Dying in between leaves the old branch, or the new one
   * with an index that the same order again brings up to date.
   */
  commit(order: CommitOrder): Promise<Committed>;

  /**
   * Takes a commit into the branch that the project's own tree, or a worktree of it, is on, by a fast-forward or a merge, if nothing of the
   * user's is in the way. On disk: a plan, a verified snapshot, the files one by one, the branch, the index. Dying in
   * between leaves whole files of one side or the other: the same order again goes on by the plan.
   */
  takeIn(order: TakeInOrder): Promise<TakenIn>;

  /** Begins a merge in a run's worktree, for a person to finish. On disk: a note, the files, the index, MERGE_HEAD. */
  beginMerge(order: MergeOrder): Promise<MergeBegun>;

  /**
   * What the work of a tree has changed between two snapshots, held against what was last reported of the other
   * standing trees of the project. On disk: one row per tree, replaced as a whole. Dying before that shows nothing.
   */
  overlaps(order: OverlapOrder): Promise<Overlaps>;

  /** Copies a snapshot to a shared git remote, so that another host can fetch it. */
  push(project: string, snapshot: string, remote: string): Promise<void>;

  /** Brings a snapshot from a shared git remote; it is verified before this returns. */
  fetch(project: string, snapshot: string, remote: string): Promise<void>;
  close(): Promise<void>;
}

export interface Place {
  /** The folder of the user's repository; all its trees share a store. */
  readonly project: string;
  /** The folder that is looked after: the project itself or a worktree of it. */
  readonly tree: string;
}

export interface SnapshotRules {
  /** `skip`: what the tree's ignore rules name stays out, and is never touched by a restore. */
  readonly ignored: "skip" | "keep";
  /** Larger files are skipped, and reported. */
  readonly fileBytesMax: number;
  /** Once the new bytes of one snapshot exceed this, the rest is skipped, and reported. */
  readonly newBytesMax: number;
  readonly filesMax: number;
}

export const DEFAULT_SNAPSHOT_RULES: SnapshotRules = {
  ignored: "skip",
  fileBytesMax: 64 * 2 ** 20,
  newBytesMax: 2 * 2 ** 30,
  filesMax: 200_000,
};

export interface SnapshotOrder extends Place {
  readonly key: string;
  /** Time is a fact of the one that orders (I5). */
  readonly atMs: number;
  readonly note?: string;
  readonly rules?: Partial<SnapshotRules>;
  /** What is recorded under the key is forgotten first: the tree is taken as it is now. */
  readonly again?: boolean;
  /** A folder that is missing is made, empty; what is above it has to be there. */
  readonly make?: boolean;
  /** Nobody is at work: what was stashed in this worktree is taken out of the user's stash, and kept by refs of ours. */
  readonly stashApart?: boolean;
}

/** Facts about one snapshot; only verified ones are reported. */
export interface Snapshot {
  readonly key: string;
  /** The commit in the store. An unchanged tree has the same one again. */
  readonly id: string;
  /** Digest of files, modes and folders: equal for equal trees. */
  readonly digest: string;
  /** Git's own digest of the files alone: equal to that of a user's commit with the same content. */
  readonly files: string;
  readonly project: string;
  readonly tree: string;
  readonly atMs: number;
  readonly note: string | null;
  readonly head: Head;
  readonly fileCount: number;
  /** What had to be read this time. */
  readonly read: { readonly files: number; readonly bytes: number };
  readonly skipped: Skipped;
  /** False where something other than ignored files was left out. */
  readonly whole: boolean;
  /** The refs that keep what was taken out of the user's stash. */
  readonly stashed?: readonly string[];
}

/** What is not in the snapshot. Reaching a bound is a fact, not silence (I7); the list itself is bounded. */
export interface Skipped {
  readonly count: number;
  readonly first: readonly SkippedPath[];
}

export interface SkippedPath {
  readonly path: string;
  readonly reason: SkipReason;
}

export type SkipReason =
  | "too_large"
  | "too_much"
  | "too_many"
  | "special"
  | "unreadable"
  /** It did not hold still while it was read, or is no longer what was read. */
  | "changing"
  /** A folder stays because something in it stays. */
  | "occupied"
  /** The snapshot that was put back does not hold it. */
  | "not_kept";

export interface RestoreOrder extends Place {
  readonly key: string;
  readonly atMs: number;
  readonly snapshot: string;
  /** Only these files and folders; everything where left out. */
  readonly paths?: readonly string[];
  /** A snapshot of the tree: what is otherwise by now is left as it is, and named. */
  readonly expected?: string;
  readonly rules?: Partial<SnapshotRules>;
}

export interface Restored {
  /** The snapshot of what was there when the restore began. */
  readonly before: string;
  readonly written: number;
  readonly removed: number;
  /** What was not touched, because it is in no snapshot. */
  readonly left: Skipped;
}

export type Verification =
  | { readonly kind: "whole"; readonly objects: number }
  | { readonly kind: "damaged"; readonly problems: readonly string[] }
  | { readonly kind: "missing" };

export interface Comparison {
  readonly changes: readonly Change[];
  readonly count: number;
}

export interface Change {
  readonly path: string;
  readonly kind: "added" | "modified" | "removed" | "mode" | "type";
}

export interface ReleaseOrder {
  readonly project: string;
  readonly keys: readonly string[];
}

export interface Released {
  readonly released: number;
}

export interface RemoveWorktreeOrder extends Place {
  readonly key: string;
  readonly atMs: number;
  readonly rules?: Partial<SnapshotRules>;
}

export type WorktreeRemoval =
  | { readonly kind: "removed"; readonly snapshot: string | null }
  /** Something in it is in no snapshot: it stands as it was, or what is left of it. */
  | { readonly kind: "kept"; readonly snapshot: string; readonly because: Skipped };
