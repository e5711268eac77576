/** What several pieces of work would do to a repository, one after the other. */
export interface RehearsalOrder {
  readonly project: string;
  /** A commit that the branch is expected to hold still; not looked at where left out. */
  readonly base?: string;
  /** In the order in which they are to be taken in. */
  readonly commits: readonly string[];
}

export interface RehearsedStep {
  readonly commit: string;
  /** `already`: the branch holds it. `missing`: the repository has no such commit. */
  readonly how: "already" | "fast_forward" | "merge" | "conflict" | "missing";
  /** Those in conflict. */
  readonly files: readonly string[];
}

export type Rehearsal =
  | { readonly kind: "none" }
  | {
      readonly kind: "seen";
      /** Null where HEAD is detached, or on no commit. */
      readonly branch: string | null;
      readonly commit: string | null;
      /** What is not committed there, the first of it. */
      readonly dirty: readonly string[];
      /** Whether the branch still holds `base`. */
      readonly keepsBase: boolean;
      /** Up to the first that cannot be taken in. */
      readonly steps: readonly RehearsedStep[];
    };

export interface LayOrder {
  readonly project: string;
  readonly branch: string;
  /** What the branch is to hold, beside what the project's own branch does. */
  readonly commits: readonly string[];
}

export type Laid =
  | { readonly kind: "laid"; readonly commit: string }
  | {
      readonly kind: "unlaid";
      readonly commit: string;
      readonly how: string;
      readonly files: readonly string[];
    };

/** Looks at repositories that several runs work in. */
export interface Rehearsing {
  /** Where a repository stands, and what taking commits in would do. On disk: nothing but objects and an index of ours. */
  rehearse(order: RehearsalOrder): Promise<Rehearsal>;
  /** A branch at the merge of the project's own branch and commits. On disk: objects, then the branch. The same again finds it. */
  layBranch(order: LayOrder): Promise<Laid>;
  /** What differs between two commits, as a patch of bounded length; null where one is not there. Reads only. */
  patch(project: string, from: string, to: string): Promise<string | null>;
}
