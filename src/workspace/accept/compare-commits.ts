import { Fault } from "../../model/fault.ts";
import type { CommitComparison, MergeTrial, TakeInOrder } from "./commit-orders.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import type { ShadowRepository } from "../git/shadow-repository.ts";
import { bytePath, type BytePath, toText } from "../snapshot/byte-path.ts";

const OID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const FILES_SHOWN_MAX = 10_000;

function checkCommits(...commits: readonly string[]): void {
  for (const commit of commits)
    if (!OID.test(commit))
      throw new Fault("usage", `"${commit}" is no commit; expected the digits that git knows a commit by`);
}

/** How one commit stands to another, and which files differ. */
export async function compareCommits(
  { shadow: gitDir }: ShadowRepository,
  from: string,
  to: string,
): Promise<CommitComparison> {
  const files = await differingPaths(gitDir, from, to);
  if (files === null) return { relation: "unknown", files: [], count: 0 };
  return {
    relation: await relationOf(gitDir, from, to),
    files: files.slice(0, FILES_SHOWN_MAX).map(toText),
    count: files.length,
  };
}

const DIFF = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv"];

/** All of them, by their bytes; null where a commit is not there. */
export async function differingPaths(gitDir: string, from: string, to: string): Promise<BytePath[] | null> {
  checkCommits(from, to);
  const { code, output } = await runGit({ gitDir, args: [...DIFF, from, to], answers: [128] });
  if (code !== 0) return null;
  return bytePath(output)
    .split("\0")
    .filter((file) => file !== "");
}

async function relationOf(gitDir: string, from: string, to: string): Promise<CommitComparison["relation"]> {
  if (from === to) return "same";
  if (await isAncestor(gitDir, from, to)) return "forward";
  return (await isAncestor(gitDir, to, from)) ? "back" : "apart";
}

const isAncestor = async (gitDir: string, older: string, newer: string): Promise<boolean> =>
  (await runGit({ gitDir, args: ["merge-base", "--is-ancestor", older, newer], answers: [1] })).code === 0;

/** Merges two commits in memory, by git's own rules alone: nothing but objects is written. */
export async function tryMerge(
  { shadow: gitDir }: ShadowRepository,
  ours: string,
  theirs: string,
): Promise<MergeTrial> {
  checkCommits(ours, theirs);
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  const { code, output } = await runGit({ gitDir, args, answers: [1, 128, 129], limitMs: LONG_LIMIT_MS });
  const [tree = "", ...conflicting] = bytePath(output).split("\0");
  if (code === 0) return { kind: "clean", tree };
  const files = conflicting.filter((file) => file !== "").map(toText);
  return code === 1 && OID.test(tree)
    ? { kind: "conflict", files: files.slice(0, FILES_SHOWN_MAX) }
    : { kind: "unknown" };
}

const TOLD_MAX = 5;

/** Commits up to `base` that are not in `head` any more, newest first; null where all of them are. */
export async function droppedCommits(
  { shadow: gitDir }: ShadowRepository,
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
  { shadow }: ShadowRepository,
  tree: string,
  parents: readonly string[],
  message = "side\n",
): Promise<string> {
  const args = ["commit-tree", ...parents.flatMap((parent) => ["-p", parent]), tree];
  return (await runGit({ gitDir: shadow, args, input: message, env: NOBODY })).output.toString().trim();
}
