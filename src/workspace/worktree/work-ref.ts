import { renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { recordedAnswer } from "../accept/commit-orders.ts";
import { compareCommits } from "../accept/compare-commits.ts";
import { runGit } from "../git/run-git.ts";
import { type ShadowRepository, shadowRepository } from "../git/shadow-repository.ts";
import { readHead, resolveRef, type UserRepository } from "../git/user-repository.ts";
import { readRefLog } from "../protect/ref-log.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { dropCarried } from "./carried-state.ts";
import type { Worktree } from "./worktree-orders.ts";

/**
 * A ref of ours for each branch of a worktree: the last commit that Holdfast put there. A branch that somebody deletes
 * or moves takes none of that with it.
 */
export const workRefOf = (branch: string): string => `refs/holdfast/work/${branch}`;

export const isLinkedTree = ({ gitDir, commonDir }: UserRepository): boolean =>
  path.resolve(gitDir) !== path.resolve(commonDir);

export async function keepWork({ shadow }: ShadowRepository, branch: string, commit: string): Promise<void> {
  await runGit({ gitDir: shadow, args: ["update-ref", workRefOf(branch), commit] });
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
  await runGit({ gitDir: repository.shadow, args: ["update-ref", "-d", workRefOf(branch), kept] });
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
  handle: SnapshotHandle,
  { project, branch, commit }: { readonly project: string; readonly branch: string; readonly commit: string },
): Promise<boolean> {
  const repository = shadowRepository(handle.store.folder, project);
  const drop = async (ref: string): Promise<boolean> => {
    const found = resolveRef(repository, ref);
    if (found === null) return true;
    if (found !== commit) return false;
    const args = ["update-ref", "-d", ref, commit];
    return (await runGit({ gitDir: repository.shadow, args, answers: [1, 128] })).code === 0;
  };
  const isGone = (await drop(`refs/heads/${branch}`)) && (await drop(workRefOf(branch)));
  if (isGone) await dropCarried(handle, repository, branch);
  return isGone;
}

const STASH = "refs/stash";
const LOG_BYTES_MAX = 64 * 2 ** 20;

/**
 * All worktrees of a repository share one stash. What an agent has stashed in a worktree of ours is taken out of the
 * user's list and kept under refs of ours; git names the branch that an entry was made on. On disk: our refs, then the
 * ref of the stash, from the value that was seen, then its log. Dying in between is finished by the next time.
 */
export async function stashApart(
  { store, world }: SnapshotHandle,
  { project, tree }: { readonly project: string; readonly tree: string },
): Promise<readonly string[]> {
  const branch = recordedAnswer<Worktree>(store, "standing", tree)?.branch;
  const repository = shadowRepository(store.folder, tree);
  if (branch === undefined || tree === project || !isLinkedTree(repository)) return [];
  const [ours, theirs] = parted(repository, branch);
  if (ours.length === 0 || readHead(project).kind !== "git") return [];
  const refs: string[] = [];
  for (const { after } of ours) {
    const name = `refs/holdfast/stash/${branch}/${after.slice(0, 12)}`;
    await runGit({ gitDir: repository.shadow, args: ["update-ref", name, after] });
    refs.push(name);
  }
  world.crashPoint("workspace.stash.kept");
  const found = resolveRef(repository, STASH);
  const wanted = theirs.at(-1)?.after ?? null;
  if (found !== wanted && !(await moveStash(repository, found, wanted))) return [];
  world.crashPoint("workspace.stash.moved");
  rewriteLog(repository, branch);
  return refs;
}

interface Entry {
  readonly after: string;
  readonly message: string;
}

/** The entries of the stash that were made on a branch of ours, and the others; each oldest first. */
function parted(repository: ShadowRepository, branch: string): [readonly Entry[], readonly Entry[]] {
  const all = readRefLog(repository.commonDir, STASH).flatMap(({ after, message }) =>
    after === null ? [] : [{ after, message }],
  );
  return [
    all.filter(({ message }) => isMadeOn(branch, message)),
    all.filter(({ message }) => !isMadeOn(branch, message)),
  ];
}

const isMadeOn = (branch: string, message: string): boolean =>
  message.startsWith(`WIP on ${branch}: `) || message.startsWith(`On ${branch}: `);

async function moveStash(
  { shadow }: ShadowRepository,
  found: string | null,
  wanted: string | null,
): Promise<boolean> {
  const args =
    wanted === null ? ["update-ref", "-d", STASH, found ?? ""] : ["update-ref", STASH, wanted, found ?? ""];
  return (await runGit({ gitDir: shadow, args, answers: [1, 128] })).code === 0;
}

/** Without the entries of ours; what the user stashes meanwhile is a line that stays. */
function rewriteLog({ commonDir }: ShadowRepository, branch: string): void {
  const file = path.join(commonDir, "logs", STASH);
  const text = plainTextIfAny(file, { bytesMax: LOG_BYTES_MAX }) ?? "";
  const lines = text.split("\n").filter((line) => line !== "");
  const left = lines.filter((line) => !isMadeOn(branch, line.slice(line.indexOf("\t") + 1)));
  if (left.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  writeFileSync(`${file}.holdfast`, `${left.join("\n")}\n`);
  renameSync(`${file}.holdfast`, file);
}
