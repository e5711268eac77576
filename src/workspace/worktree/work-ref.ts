import path from "node:path";
import { compareCommits } from "../accept/compare-commits.ts";
import { runGit } from "../git/run-git.ts";
import { type ShadowRepository, shadowRepository } from "../git/shadow-repository.ts";
import { resolveRef, type UserRepository } from "../git/user-repository.ts";
import { readRefLog } from "../protect/ref-log.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-desk.ts";
import { dropCarried } from "./carried-state.ts";

/**
 * A ref of ours for each branch of a worktree: the last commit that Holdfast put there. A branch that somebody deletes
 * or moves takes none of that with it.
 */
export const workRefOf = (branch: string): string => `refs/holdfast/work/${branch}`;

export const isLinkedTree = ({ gitDir, commonDir }: UserRepository): boolean =>
  path.resolve(gitDir) !== path.resolve(commonDir);

export async function keepWork({ veil }: ShadowRepository, branch: string, commit: string): Promise<void> {
  await runGit({ gitDir: veil, args: ["update-ref", workRefOf(branch), commit] });
}

/**
 * A snapshot has seen the branch on this commit, which may be an agent's own: it is held like one of ours. What somebody
 * moved the branch to from outside of its worktree is not, nor one that is older than what is held.
 */
export async function keepSeen(repository: ShadowRepository, branch: string, commit: string): Promise<void> {
  const kept = resolveRef(repository, workRefOf(branch));
  if (kept === null || kept === commit) return;
  const { relation } = await compareCommits(repository, kept, commit);
  const log = readRefLog(repository.gitDir, "HEAD").map(({ after }) => after);
  const isRewritten = relation === "apart" && log.lastIndexOf(commit) > log.lastIndexOf(kept);
  if (relation === "forward" || isRewritten) await keepWork(repository, branch, commit);
}

export async function dropWork(repository: ShadowRepository, branch: string): Promise<void> {
  const kept = resolveRef(repository, workRefOf(branch));
  // It is all that holds the work where the branch is gone.
  if (kept === null || resolveRef(repository, `refs/heads/${branch}`) !== kept) return;
  await runGit({ gitDir: repository.veil, args: ["update-ref", "-d", workRefOf(branch), kept] });
}

/**
 * The commit of ours that a branch was moved away from, by a git outside of its worktree; null where it was not. What is
 * moved inside is the agent's own doing, and git's log of the worktree's HEAD shows it.
 */
export async function displacedFrom(
  repository: ShadowRepository,
  branch: string,
  head: string | null,
): Promise<string | null> {
  if (!isLinkedTree(repository)) return null;
  const kept = resolveRef(repository, workRefOf(branch));
  if (kept === null || kept === head || head === null) return null;
  const { relation } = await compareCommits(repository, kept, head);
  if (relation === "forward") return null;
  return readRefLog(repository.gitDir, "HEAD").some(({ after }) => after === head) ? null : kept;
}

/** The commit that a branch of the user's repository is on; null where there is none. */
export const branchCommit = ({ store }: SnapshotHandle, project: string, branch: string): string | null =>
  resolveRef(shadowRepository(store.folder, project), `refs/heads/${branch}`);

/** Deletes a branch and our ref for it, if both are on that commit; false where somebody has moved one of them. */
export async function dropBranch(
  desk: SnapshotHandle,
  { project, branch, commit }: { readonly project: string; readonly branch: string; readonly commit: string },
): Promise<boolean> {
  const repository = shadowRepository(desk.store.folder, project);
  const drop = async (ref: string): Promise<boolean> => {
    const found = resolveRef(repository, ref);
    if (found === null) return true;
    if (found !== commit) return false;
    const args = ["update-ref", "-d", ref, commit];
    return (await runGit({ gitDir: repository.veil, args, answers: [1, 128] })).code === 0;
  };
  const isGone = (await drop(`refs/heads/${branch}`)) && (await drop(workRefOf(branch)));
  if (isGone) await dropCarried(desk, repository, branch);
  return isGone;
}
