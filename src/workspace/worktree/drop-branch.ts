import { dropCarried } from "./carried-state.ts";
import { runGit } from "../git/run-git.ts";
import { resolveRef } from "../git/user-repository.ts";
import { shadowRepository } from "../git/shadow-repository.ts";
import { workRefOf } from "./work-ref.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-desk.ts";

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
