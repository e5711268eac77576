/** What of a run's work is committed, and what is to be. */
export interface CommitState {
  /** Steps that are done and whose work is not committed yet. */
  owed: string[];
  /** The files were put back and the branch was not: that is committed before anything begins from it. */
  due: boolean;
  /** What is to be committed next; null where nothing is. */
  wanted: {
    readonly by: string;
    readonly message: string | null;
    /** Exactly these; null for all that was changed since the last commit. */
    readonly files: readonly string[] | null;
    /** The step whose work it is; null where a person asks, or where it is time. */
    readonly step: string | null;
    /** Whether the branch is to be taken into the user's afterwards. */
    readonly accept: boolean;
    /** Only what was committed up to this step is taken in; null for all. */
    readonly upTo: string | null;
    readonly dropped?: "bring" | "leave";
    readonly resolution?: "merge";
    /** The checkpoint of what is committed; null while it is not taken. */
    checkpoint: string | null;
    /** It is committed, and waits to be taken into the user's branch. */
    committed: boolean;
  } | null;
  /** A cancelled run was asked for its work: it is cancelled again once nothing is wanted any more. */
  endsAs?: "cancelled";
  /** The run was moved to another host: the next snapshot is the one that changes are counted from. */
  startsOver?: true;
  /** The snapshot that changes are counted from; null before the first. */
  base: { readonly tree: string; readonly snapshot: string } | null;
  /** The commit that holds the work of a step, by step. */
  steps: Record<string, string>;
  /** The last commit of the run's. */
  last: { readonly commit: string; readonly branch: string } | null;
  committedAt: number;
  /** Repositories inside the tree that the run has changed, or made: no commit of the run holds that. */
  inner?: string[];
  /** The run's work is in the user's branch. */
  accepted: boolean;
}
