const named = (group: string, ...names: string[]): string[] =>
  names.map((name) => `workspace.${group}.${name}`);

const SNAPSHOT = named("snapshot", "before", "imported", "verified", "after");
const STASH = named("stash", "kept", "moved");
const RESTORE = named("restore", "before", "rescued", "passed", "write", "remove", "after");
const RAISED = named("worktree", "record", "folder", "files");

/** The boundaries that each order passes, or may pass. One that is not passed kills nobody. */
export const BOUNDARIES = {
  createWorktree: [...named("worktree", "branch"), ...RAISED],
  carry: [...named("carry", "noted", "kept", "copied", "filled"), ...SNAPSHOT, ...RESTORE],
  mendWorktree: [...named("mend", "branch", "noted", "filled"), ...RAISED, ...RESTORE],
  snapshot: [...SNAPSHOT, ...STASH],
  restore: RESTORE,
  commit: named("commit", "made", "staged", "moved", "tagged"),
  takeIn: [
    ...named(
      "take-in",
      "planned",
      "kept",
      "locked",
      "looked",
      "replacing",
      "write",
      "files",
      "branch",
      "staged",
    ),
    ...SNAPSHOT,
  ],
  beginMerge: named("merge", "noted", "files", "begun"),
  removeWorktree: [...named("removal", "rescued", "cleared", "folder", "copied"), ...SNAPSHOT],
  release: named("release", "records", "refs"),
  check: named("repository", "copied", "compared", "named"),
  bringRepository: named("repository", "filled", "aside", "back"),
} as const;

export type OrderName = keyof typeof BOUNDARIES;
