import type { MovedFiles, SeenTree } from "../../model/state/bound-tree.ts";
import type { ProjectStore } from "../snapshot/project-store.ts";

/** Where HEAD of a tree stands, how commits stand to each other, and what is committed. */
export type Head =
  | { readonly kind: "none" }
  | {
      readonly kind: "git";
      /** Null where nothing was committed yet. */
      readonly commit: string | null;
      /** Null where HEAD is detached. */
      readonly branch: string | null;
    };

export interface CommitComparison {
  /** `forward`: the second follows from the first. `apart`: history was rewritten, or went two ways. */
  readonly relation: "same" | "forward" | "back" | "apart" | "unknown";
  readonly files: readonly string[];
  readonly count: number;
}

export type MergeTrial =
  | { readonly kind: "clean"; readonly tree: string }
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  | { readonly kind: "unknown" };

export interface CommitOrder {
  readonly project: string;
  readonly tree: string;
  readonly key: string;
  readonly atMs: number;
  /** Exactly these; a file that is gone is removed. */
  readonly files: readonly string[];
  readonly message: string;
  readonly author: Author;
  /** Where HEAD must stand for the commit to be made. */
  /** A tag that is to stand at what is committed, or at HEAD where nothing differs. */
  readonly tag?: string;
  readonly expected: { readonly commit: string | null; readonly branch: string };
  /** No agent works in the tree, which is the run's own. */
  readonly alone?: boolean;
  /** The folder that must be exactly as it was seen, before and after the files are read. */
  readonly proved?: ProvedFolder;
}

export interface ProvedFolder {
  readonly tree: string;
  readonly since: SeenTree;
  readonly aside: readonly string[];
}

export interface Author {
  readonly name: string;
  readonly email: string;
}

interface Inner {
  /** Folders that are repositories of their own: what was named inside of them is in no commit. */
  readonly inner?: readonly string[];
}

export type Committed =
  | ({ readonly kind: "committed"; readonly commit: string; readonly files: readonly string[] } & Inner)
  | ({ readonly kind: "nothing" } & Inner)
  /** HEAD does not stand where it was expected; nothing was done. */
  | { readonly kind: "moved"; readonly head: Head }
  /** Somebody moved the branch away from our last commit, which the ref still holds; nothing was done. */
  | { readonly kind: "displaced"; readonly last: string; readonly ref: string }
  /** The folder is not what was proved; nothing was done. */
  | { readonly kind: "unproved"; readonly moved: MovedFiles }
  /** A filter of the user's decides what is stored of these, and no filter is run here; nothing was done. */
  | { readonly kind: "filtered"; readonly files: readonly string[] }
  /** A merge is under way in the tree, and these still have conflict markers; nothing was done. */
  | { readonly kind: "unmerged"; readonly files: readonly string[] }
  /** Another git process has the index of the tree: this lock of it stays; nothing was done. */
  | { readonly kind: "locked"; readonly file: string };

/** Takes a commit into the branch that the project's own tree is on, or the worktree of it that is named. */
export interface TakeInOrder {
  readonly key: string;
  readonly project: string;
  readonly tree?: string;
  readonly commit: string;
  /** Of the merge, where one is needed. */
  readonly message: string;
  readonly author: Author;
  readonly atMs: number;
  /** The commit of the user's branch that the work was begun on. */
  readonly base?: string;
  /** Commits below that which the user has dropped since: brought back, or left out. Asked about where left out. */
  readonly dropped?: "bring" | "leave";
  /** The run's branch: files of the user's that are still as they were carried into its worktree are replaced. */
  readonly work?: string;
  /** Only says what became of an earlier try; `unknown` where none was finished. */
  readonly answerOnly?: boolean;
}

/** Everything that is not `taken` has changed nothing. */
export type TakenIn =
  | {
      readonly kind: "taken";
      readonly commit: string;
      readonly into: string;
      readonly how: "fast_forward" | "merge" | "already";
      readonly files: readonly string[];
      /** What the user had not committed of these is in the ref, and no longer in the tree. */
      readonly replaced?: { readonly ref: string; readonly files: readonly string[] };
    }
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  /** These differ from the branch: the user's own changes, which are not overwritten. */
  | { readonly kind: "dirty"; readonly files: readonly string[] }
  | { readonly kind: "filtered"; readonly files: readonly string[] }
  | { readonly kind: "moved"; readonly head: Head }
  /** The work was begun on commits that are not in the branch any more. */
  | {
      readonly kind: "dropped";
      readonly into: string;
      readonly commits: readonly string[];
      readonly count: number;
    }
  /** Another git process has the index of the tree, by this file. */
  | { readonly kind: "locked"; readonly file: string }
  | { readonly kind: "unknown" };

/** Puts a commit and the tree's own side by side, for a person to merge. */
export interface MergeOrder {
  readonly project: string;
  readonly tree: string;
  readonly theirs: string;
  readonly message: string;
}

export type MergeBegun =
  /** The tree has both sides, with markers where they differ, as `git merge` leaves it. */
  | { readonly kind: "begun"; readonly files: readonly string[] }
  /** There is nothing to merge, or git can do it alone. */
  | { readonly kind: "clean" }
  | { readonly kind: "dirty"; readonly files: readonly string[] }
  | { readonly kind: "locked"; readonly file: string };

/** What was answered to an order of a kind under its key; null where it was not finished. */
export function recordedAnswer<T>(store: ProjectStore, kind: string, key: string): T | null {
  const row = store.db.prepare("SELECT answer FROM done WHERE key = ?").get(`${kind}:${key}`);
  return row === undefined ? null : (JSON.parse(String(row["answer"])) as T);
}

export function recordAnswer<T>(store: ProjectStore, kind: string, key: string, answer: T): T {
  store.db
    .prepare("INSERT OR REPLACE INTO done (key, answer) VALUES (?, ?)")
    .run(`${kind}:${key}`, JSON.stringify(answer));
  return answer;
}
