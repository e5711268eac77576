import type { RunState } from "../model/run-state.ts";

export interface WorkspaceView {
  /** Where agents work. */
  readonly folder: string;
  /** Of a worktree of the run's own; null where it works in the user's folder. */
  readonly branch: string | null;
  readonly ports: { readonly first: number; readonly count: number } | null;
  /** The run that has the tree, where this one waits for it. */
  readonly waitsFor: string | null;
  /** Of steps that work in worktrees of their own. */
  readonly trees: readonly StepTreeView[];
}

export interface StepTreeView {
  readonly step: string;
  readonly folder: string;
  readonly branch: string;
  readonly ports: { readonly first: number; readonly count: number } | null;
}

/** Where a run works; null for a body, which works in its program. */
export function workspaceView({ cwd, workspace, body }: RunState): WorkspaceView | null {
  if (body !== null) return null;
  const { worktree, hold, trees } = workspace;
  return {
    folder: cwd,
    branch: worktree?.branch ?? null,
    ports: worktree?.ports ?? null,
    waitsFor: hold?.waitsFor ?? null,
    trees: Object.entries(trees).map(([step, { cwd: folder, branch, ports }]) => ({
      step,
      folder,
      branch,
      ports,
    })),
  };
}

export const portsText = ({ first, count }: { readonly first: number; readonly count: number }): string =>
  `${String(first)}-${String(first + count - 1)}`;
