import type { RunState } from "../../model/state/run-state.ts";

/** The folders that a run which moves leaves on its host. */
export function leftOf({ workspace: { worktree, trees, root } }: RunState): string[] {
  const own = [worktree, ...Object.values(trees)].flatMap((one) => (one === null ? [] : [one.tree]));
  return own.length === 0 ? [root] : own;
}

/** The remote as people are shown it: without a name or password in its address. */
export const shownRemote = (remote: string): string => remote.replace(/\/\/[^/@]*@/, "//");
