import type { Worktree } from "../worktree/worktree-orders.ts";

/** The files of runs on a git remote that hosts share. */
export interface Remote {
  /**
   * Copies snapshots of a worktree, where its branch stands, and further pieces to the remote, under refs of the run and
   * the epoch of its owner. On disk: a commit that nobody refers to. On the remote: the commits of the branch; then the
   * snapshots and pieces; then older uploads gone. Dying in between leaves refs that nobody has recorded, which the next
   * upload removes. No ref is ever moved, so nobody overwrites what another owner has uploaded.
   */
  upload(order: UploadOrder): Promise<Upload>;

  /**
   * Makes the worktree of an upload here. On disk: objects and refs of ours, the records of the snapshots, the branch,
   * the worktree, its files. What stood there before is kept first. The same order again goes on.
   */
  download(order: DownloadOrder): Promise<Download>;
}

/** Bytes that belong to a run and are in no tree. */
export interface Piece {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface RemoteHead {
  /** Null where HEAD is on no branch. */
  readonly branch: string | null;
  readonly commit: string;
}

export interface RemoteBranch {
  readonly name: string;
  readonly commit: string;
}

/** A worktree of a project. */
interface OfTree {
  readonly project: string;
  readonly tree: string;
}

export interface UploadOrder extends OfTree {
  readonly run: string;
  readonly epoch: number;
  readonly remote: string;
  readonly snapshot: string;
  readonly others: readonly string[];
  readonly head: RemoteHead;
  readonly branch: RemoteBranch;
  readonly pieces: readonly Piece[];
  /** The last upload that was recorded: it stays. */
  readonly previous: string | null;
  readonly atMs: number;
}

export interface Upload {
  readonly ref: string;
  readonly commit: string;
  readonly left: readonly LeftPath[];
  /** Snapshots that were sent without some of their files, by their ids here. */
  readonly without: Readonly<Record<string, string>>;
}

/** A path that stays on this host. */
export interface LeftPath {
  readonly path: string;
  readonly why: string;
}

export interface DownloadOrder extends OfTree {
  readonly key: string;
  readonly remote: string;
  readonly ref: string;
  readonly commit: string;
  /** The folder in the worktree that is worked in. */
  readonly inside: string;
  readonly snapshot: string;
  /** The keys that its snapshots are recorded under. */
  readonly keys: readonly { readonly key: string; readonly snapshot: string }[];
  readonly head: RemoteHead;
  readonly branch: RemoteBranch;
  readonly ports: { readonly from: number; readonly count: number };
  readonly atMs: number;
}

export interface Download {
  readonly worktree: Worktree;
  readonly pieces: readonly Piece[];
  /** The snapshot of what stood in the worktree's place; null where nothing did. */
  readonly before: string | null;
}
