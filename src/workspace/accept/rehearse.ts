import path from "node:path";
import { isOwnPath } from "../../model/settings/own-files.ts";
import { filteredFiles, makeBranch } from "../worktree/create-worktree.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import { shadowRepository, type ShadowRepository } from "../git/shadow-repository.ts";
import { findRepository, readHead, resolveRef } from "../git/user-repository.ts";
import { bytePath, toText, type BytePath } from "../snapshot/byte-path.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { commitTree, compareCommits, droppedCommits, tryMerge } from "./compare-commits.ts";
import type { Laid, LayOrder, Rehearsal, RehearsalOrder, RehearsedStep } from "./rehearse-orders.ts";

const DIRTY_NAMED_MAX = 100;
const PATCH_BYTES_MAX = 4 * 2 ** 20;

/** See `Rehearsing`. */
export async function rehearse(handle: SnapshotHandle, order: RehearsalOrder): Promise<Rehearsal> {
  const { project, base, commits } = order;
  if (findRepository(project) === null) return { kind: "none" };
  const head = readHead(project);
  if (head.kind !== "git" || head.commit === null)
    return { kind: "seen", branch: null, commit: null, dirty: [], keepsBase: false, steps: [] };
  const repository = shadowRepository(handle.store.folder, project);
  const { commit, branch } = head;
  const dropped = base === undefined ? null : await droppedCommits(repository, base, commit);
  const isKnown =
    base === undefined || (await compareCommits(repository, base, commit)).relation !== "unknown";
  return {
    kind: "seen",
    branch,
    commit,
    dirty: await dirtyFiles(handle, { repository, tree: project, commit }),
    keepsBase: isKnown && dropped === null,
    steps: (await takeAll(repository, commit, commits)).steps,
  };
}

/** One after the other onto a commit, in objects alone. */
async function takeAll(
  repository: ShadowRepository,
  onto: string,
  commits: readonly string[],
): Promise<{ readonly at: string; readonly steps: readonly RehearsedStep[] }> {
  let at = onto;
  const steps: RehearsedStep[] = [];
  for (const commit of commits) {
    const { relation } = await compareCommits(repository, at, commit);
    if (relation === "unknown") return { at, steps: [...steps, { commit, how: "missing", files: [] }] };
    if (relation === "same" || relation === "back") {
      steps.push({ commit, how: "already", files: [] });
      continue;
    }
    if (relation === "forward") {
      at = commit;
      steps.push({ commit, how: "fast_forward", files: [] });
      continue;
    }
    const merged = await tryMerge(repository, at, commit);
    if (merged.kind !== "clean")
      return {
        at,
        steps: [...steps, { commit, how: "conflict", files: "files" in merged ? merged.files : [] }],
      };
    at = await commitTree(
      repository,
      merged.tree,
      [at, commit],
      `Merge ${commit.slice(0, 12)}, which later work builds on\n`,
    );
    steps.push({ commit, how: "merge", files: [] });
  }
  return { at, steps };
}

interface Looked {
  readonly repository: ShadowRepository;
  readonly tree: string;
  readonly commit: string;
}

/** What a user would see in `git status`: changed, staged and untracked files, without those that a filter decides. */
async function dirtyFiles(handle: SnapshotHandle, { repository, tree, commit }: Looked): Promise<string[]> {
  const gitDir = repository.shadow;
  const index = path.join(handle.store.folder, `rehearsal-${hashOf(tree).slice(0, 16)}.lock`);
  const call = { gitDir, tree, index, limitMs: LONG_LIMIT_MS };
  await runGit({ ...call, args: ["read-tree", commit] });
  await runGit({ ...call, args: ["update-index", "-q", "--refresh"], answers: [1] });
  const exclude = `--exclude-from=${path.join(repository.commonDir, "info/exclude")}`;
  const others = ["ls-files", "-z", "--others", "--exclude-standard"];
  const [changed, untracked, staged] = [
    await names({ ...call, args: ["diff-files", "-z", "--name-only"] }),
    await names({ ...call, args: [...others, exclude] }, [...others]),
    await names({
      ...call,
      index: path.join(repository.gitDir, "index"),
      args: ["diff-index", "-z", "--cached", "--name-only", commit],
    }),
  ];
  const found = [...new Set([...changed, ...staged])];
  const filtered = new Set(found.length === 0 ? [] : await filteredFiles(call, found));
  return [...new Set([...found.filter((file) => !filtered.has(file)), ...untracked])]
    .map(toText)
    .filter((file) => !isOwnPath(file))
    .sort()
    .slice(0, DIRTY_NAMED_MAX);
}

/** `else`: the words without what may not be there, such as the user's own list of ignored files. */
async function names(call: Parameters<typeof runGit>[0], otherwise?: readonly string[]): Promise<BytePath[]> {
  const answered = await runGit({ ...call, ...(otherwise === undefined ? {} : { answers: [128] }) });
  const { output } =
    answered.code === 0 || otherwise === undefined ? answered : await runGit({ ...call, args: otherwise });
  return bytePath(output)
    .split("\0")
    .filter((file) => file !== "");
}

/** See `Rehearsing`. */
export async function layBranch(
  handle: SnapshotHandle,
  { project, branch, commits }: LayOrder,
): Promise<Laid> {
  const repository = shadowRepository(handle.store.folder, project);
  const there = resolveRef(repository, `refs/heads/${branch}`);
  // Made by a try before this one: the run may have gone on from there.
  if (there !== null) return { kind: "laid", commit: there };
  const head = readHead(project);
  const onto = head.kind === "git" ? head.commit : null;
  if (onto === null) return { kind: "unlaid", commit: "", how: "no_branch", files: [] };
  const { at, steps } = await takeAll(repository, onto, commits);
  const last = steps.at(-1);
  if (last !== undefined && (last.how === "conflict" || last.how === "missing"))
    return { kind: "unlaid", commit: last.commit, how: last.how, files: last.files };
  await makeBranch(repository, branch, at);
  return { kind: "laid", commit: at };
}

/** See `Rehearsing`. */
export async function patchBetween(
  handle: SnapshotHandle,
  project: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string | null> {
  const { shadow: gitDir } = shadowRepository(handle.store.folder, project);
  const args = ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "--no-color", from, to];
  const { code, output } = await runGit({ gitDir, args, answers: [128], limitMs: LONG_LIMIT_MS });
  return code === 0 ? output.subarray(0, PATCH_BYTES_MAX).toString() : null;
}
