import type { TakeInOrder } from "./commit-orders.ts";
import { tryMerge } from "./compare-commits.ts";
import { runGit } from "../git/run-git.ts";
import type { ShadowRepository } from "../git/shadow-repository.ts";

const TOLD_MAX = 5;

/** Commits up to `base` that are not in `head` any more, newest first; null where all of them are. */
export async function droppedCommits(
  { veil: gitDir }: ShadowRepository,
  base: string,
  head: string,
): Promise<{ readonly commits: readonly string[]; readonly count: number } | null> {
  const counting = await runGit({ gitDir, args: ["rev-list", "--count", base, `^${head}`], answers: [128] });
  const count = counting.code === 0 ? Number(counting.output.toString()) : 0;
  if (count === 0) return null;
  const args = ["log", "--no-decorate", "--no-show-signature", "--format=%h %s", `-${String(TOLD_MAX)}`];
  const { output } = await runGit({ gitDir, args: [...args, base, `^${head}`] });
  return { commits: output.toString().trim().split("\n"), count };
}

/**
 * The tree of `head` with what the work has changed since `base`, and nothing of what lies below that. Git merges by
 * history, so the three trees are given one of their own, which nothing refers to.
 */
export async function pickedTree(
  repository: ShadowRepository,
  { base, commit }: Pick<TakeInOrder, "commit"> & { readonly base: string },
  head: string,
): ReturnType<typeof tryMerge> {
  const root = await bareCommit(repository, base, []);
  const ours = await bareCommit(repository, head, [root]);
  const theirs = await bareCommit(repository, commit, [root]);
  return tryMerge(repository, ours, theirs);
}

const NOBODY = {
  GIT_AUTHOR_NAME: "Holdfast",
  GIT_AUTHOR_EMAIL: "holdfast@localhost",
  GIT_AUTHOR_DATE: "@0 +0000",
  GIT_COMMITTER_NAME: "Holdfast",
  GIT_COMMITTER_EMAIL: "holdfast@localhost",
  GIT_COMMITTER_DATE: "@0 +0000",
};

export const bareCommit = (
  repository: ShadowRepository,
  of: string,
  parents: readonly string[],
): Promise<string> => commitTree(repository, `${of}^{tree}`, parents);

export async function commitTree(
  { veil }: ShadowRepository,
  tree: string,
  parents: readonly string[],
): Promise<string> {
  const args = ["commit-tree", ...parents.flatMap((parent) => ["-p", parent]), tree];
  return (await runGit({ gitDir: veil, args, input: "side\n", env: NOBODY })).output.toString().trim();
}
