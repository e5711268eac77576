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
  /** What is to be run in it, by whoever runs things; kept with the worktree. */
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
