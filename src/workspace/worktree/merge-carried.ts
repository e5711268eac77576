import path from "node:path";
import { bytePath, bytesOf, type BytePath } from "../snapshot/byte-path.ts";
import { bareCommit, commitTree, differingPaths, tryMerge } from "../accept/compare-commits.ts";
import { runGit } from "../git/run-git.ts";
import type { ShadowRepository } from "../git/shadow-repository.ts";

/**
 * Merges work that was begun on files which the user had not committed then, and has committed since: both sides go
 * back to what was carried, which is in neither history. Null where there is no such file.
 */
export async function mergedFromCarried(
  repository: ShadowRepository,
  { commit, carried }: { readonly commit: string; readonly carried: string },
  head: string,
): Promise<Awaited<ReturnType<typeof tryMerge>> | null> {
  const { shadow: gitDir } = repository;
  const found = await runGit({ gitDir, args: ["merge-base", head, commit], answers: [1, 128] });
  const base = found.output.toString().trim();
  if (found.code !== 0) return null;
  const changed = async (to: string): Promise<readonly BytePath[]> =>
    (await differingPaths(gitDir, base, to)) ?? [];
  const [own, theirs] = [new Set(await changed(head)), new Set(await changed(commit))];
  const before = await changed(carried);
  const files = before.filter((file) => own.has(file) && theirs.has(file));
  if (files.length === 0) return null;
  const root = await commitTree(repository, await baseWith(repository, { base, carried, files }), []);
  const ours = await bareCommit(repository, head, [root]);
  return tryMerge(repository, ours, await bareCommit(repository, commit, [root]));
}

interface CarriedBase {
  readonly base: string;
  readonly carried: string;
  readonly files: readonly BytePath[];
}

/** The tree of a commit, in which these files are as they were carried. */
async function baseWith(
  { shadow: gitDir }: ShadowRepository,
  { base, carried, files }: CarriedBase,
): Promise<string> {
  const index = path.join(gitDir, "merge-base.lock");
  await runGit({ gitDir, index, args: ["read-tree", base] });
  const listing = await runGit({ gitDir, args: ["ls-tree", "-r", "-z", "--full-tree", carried] });
  const entries = new Map(
    bytePath(listing.output)
      .split("\0")
      .map((row) => [row.slice(row.indexOf("\t") + 1), row]),
  );
  const rows = files.map((file) => entries.get(file) ?? `0 ${"0".repeat(base.length)}\t${file}`);
  const args = ["update-index", "--add", "--replace", "-z", "--index-info"];
  await runGit({ gitDir, index, args, input: bytesOf(rows.map((row) => `${row}\0`).join("")) });
  return (await runGit({ gitDir, index, args: ["write-tree"] })).output.toString().trim();
}
