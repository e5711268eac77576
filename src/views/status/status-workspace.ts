import type { RunState } from "../../model/state/run-state.ts";

export interface WorkspaceView {
  /** Where agents work. */
  readonly folder: string;
  /** Of a worktree of the run's own; null where it works in the user's folder. */
  readonly branch: string | null;
  readonly ports: { readonly first: number; readonly count: number } | null;
  /** The run that has the tree, where this one waits for it. */
  readonly waitsFor: string | null;
  /** What the last checkpoint of the run does not hold: a restore leaves it as it is then. */
  readonly notKept: { readonly count: number; readonly paths: readonly string[] } | null;
  /** Of steps that work in worktrees of their own. */
  readonly trees: readonly StepTreeView[];
  /** The last commit of work that stands on the run's branch alone; null where there is none. */
  readonly unaccepted: string | null;
}

export interface StepTreeView {
  readonly step: string;
  readonly folder: string;
  readonly branch: string;
  readonly ports: { readonly first: number; readonly count: number } | null;
}

/** Where a run works; null for a workflow function, which works in its program. */
export function workspaceView(state: RunState): WorkspaceView | null {
  const { cwd, workspace, kind, checkpoints } = state;
  if (kind === "program") return null;
  const last = Object.values(checkpoints).at(-1)?.snapshot;
  const { worktree, hold, trees } = workspace;
  return {
    folder: cwd,
    branch: worktree?.branch ?? null,
    ports: worktree?.ports ?? null,
    waitsFor: hold?.waitsFor ?? null,
    notKept:
      last === undefined || last.skipped === 0
        ? null
        : { count: last.skipped, paths: last.skippedPaths ?? [last.firstSkipped ?? ""] },
    unaccepted: waitsForAccept(state) ? (workspace.commit.last?.commit ?? null) : null,
    trees: Object.entries(trees).map(([step, { cwd: folder, branch, ports }]) => ({
      step,
      folder,
      branch,
      ports,
    })),
  };
}

/** Its work stands on a branch of its own, and is not in the user's. */
export const waitsForAccept = ({ workspace: { worktree, commit } }: RunState): boolean =>
  worktree !== null && commit.last?.branch === worktree.branch && !commit.accepted;

const PATHS_SHOWN_MAX = 5;

/** The first of so many paths. */
export const pathsText = (paths: readonly string[], count: number): string => {
  const first = paths.slice(0, PATHS_SHOWN_MAX);
  return `${first.join(", ")}${count > first.length ? ` and ${String(count - first.length)} more` : ""}`;
};

/** Repositories inside the tree of a run, of which no commit of the run holds anything. */
export const innerText = (folders: readonly string[]): string =>
  `${pathsText(folders, folders.length)} (${folders.length === 1 ? "a repository of its own" : "repositories of their own"})`;

/** Both ways out for a run that waits for another's folder, which may be blocked for long. */
export const heldText = (by: string, folder: string): string =>
  `holds ${folder}: see what it needs (holdfast status ${by}), end it (holdfast cancel ${by}), or start this run with --worktree`;

export const portsText = ({ first, count }: { readonly first: number; readonly count: number }): string =>
  `${String(first)}-${String(first + count - 1)}`;

/** Where the work of a completed run is, and how it comes into the user's branch. */
export function unacceptedLines(workspace: WorkspaceView | null, command: string | null): string[] {
  if (workspace === null || workspace.branch === null || workspace.unaccepted === null) return [];
  const where = `its work is committed on ${workspace.branch}, in ${workspace.folder}`;
  return [where, `take it into your branch: ${command ?? ""}`];
}
