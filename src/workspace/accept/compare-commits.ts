import { Fault } from "../../model/fault.ts";
import { bytePath, toText, type BytePath } from "../snapshot/byte-path.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import type { ShadowRepository } from "../git/shadow-repository.ts";
import type { CommitComparison, MergeTrial } from "./commit-orders.ts";

const OID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const FILES_TOLD_MAX = 10_000;

function checkCommits(...commits: readonly string[]): void {
  for (const commit of commits)
    if (!OID.test(commit))
      throw new Fault("usage", `"${commit}" is no commit; expected the digits that git knows a commit by`);
}

/** How one commit stands to another, and which files differ. */
export async function compareCommits(
  { veil: gitDir }: ShadowRepository,
  from: string,
  to: string,
): Promise<CommitComparison> {
  const files = await differingPaths(gitDir, from, to);
  if (files === null) return { relation: "unknown", files: [], count: 0 };
  return {
    relation: await relationOf(gitDir, from, to),
    files: files.slice(0, FILES_TOLD_MAX).map(toText),
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
  { veil: gitDir }: ShadowRepository,
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
    ? { kind: "conflict", files: files.slice(0, FILES_TOLD_MAX) }
    : { kind: "unknown" };
}
