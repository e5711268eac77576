import path from "node:path";
import { findRepository } from "../git/user-repository.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { realFolder } from "../snapshot/project-store.ts";

/** Which worktree is asked about: by the folder of the project, or a folder inside of it. */
export interface WorktreePlaceOrder {
  readonly project: string;
  readonly name: string;
  readonly folder?: string;
}

export interface WorktreePlace {
  /** The folder of the repository. */
  readonly project: string;
  readonly tree: string;
  /** The folder that was asked for, from the repository's. */
  readonly inside: string;
}

export interface WorktreeOrder {
  readonly key: string;
  readonly project: string;
  /** Where the worktree is to stand: outside the project. */
  readonly tree: string;
  readonly branch: string;
  /** The folder in it that is worked in, which may hold nothing that is committed. */
  readonly inside?: string;
  /** The commit it starts from; HEAD of the project where left out. */
  readonly from?: string;
  /** Where the branch exists already, the worktree goes on from where it stands. */
  readonly goOn?: boolean;
  /** Ports are handed out from here on, so many to each standing worktree. */
  readonly ports?: { readonly from: number; readonly count: number };
  /** What is to be run in it, no matter who runs things; kept with the worktree. */
  readonly commands?: WorktreeCommands;
}

/** Command lines of the shell: before the work, for it, and after it. */
export interface WorktreeCommands {
  readonly setup?: string;
  readonly run?: string;
  readonly teardown?: string;
}

export interface Worktree {
  readonly project: string;
  readonly tree: string;
  readonly branch: string;
  /** The commit that it started from. */
  readonly from: string;
  /** Files whose content a user's filter would have changed, such as large-file pointers: checked out as stored. */
  readonly unfiltered: number;
  /** The lowest number that no other standing worktree has, in any project: what a port range is derived from. */
  readonly slot: number;
  readonly ports: { readonly first: number; readonly count: number } | null;
  readonly commands: WorktreeCommands;
}

export interface MendOrder {
  readonly project: string;
  readonly tree: string;
  readonly branch: string;
  /** The last commit that is known of the branch. */
  readonly commit: string;
  readonly atMs: number;
}

/** What was missing, and is there again. */
export interface Mended {
  readonly branch: boolean;
  readonly folder: boolean;
}

/** Where the worktree of a run stands: by the name of its project and its own. */
export function worktreePlace(
  home: string,
  { project, name, folder }: { readonly project: string; readonly name: string; readonly folder?: string },
): WorktreePlace {
  const asked = realFolder(project);
  const root = repositoryRoot(asked);
  const of = `${path.basename(root)}-${hashOf(root).slice(0, 8)}`;
  const tree = path.join(folder ?? path.join(home, "worktrees"), of, name);
  return { project: root, tree, inside: path.relative(root, asked) };
}

/** The folder that holds the repository, for a folder inside of one; the folder itself where there is none. */
function repositoryRoot(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    if (findRepository(at) !== null) return at;
    if (path.dirname(at) === at) return folder;
  }
}
