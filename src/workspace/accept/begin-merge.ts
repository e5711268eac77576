import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { type MergeBegun, type MergeOrder, recordAnswer, recordedAnswer } from "./commit-orders.ts";
import { bytePath, bytesOf, toText, type BytePath } from "../snapshot/byte-path.ts";
import { differingPaths } from "./compare-commits.ts";
import { standing, writeFiles, type Move } from "./move-files.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { holdIndex, type HeldIndex } from "../git/user-index.ts";
import { firstLine, readHead } from "../git/user-repository.ts";
import { shadowRepository, type ShadowRepository } from "../git/shadow-repository.ts";

/** What git makes of two sides: written down before the tree is touched. */
interface Merging {
  readonly ours: string;
  readonly theirs: string;
  readonly branch: string;
  /** The tree with markers where the sides differ. */
  readonly merged: string;
  readonly files: readonly BytePath[];
  /** Entries of the index for what is in conflict: mode, object and stage, and the file. */
  readonly entries: readonly string[];
  readonly message: string;
}

const MERGE_FILES = ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "AUTO_MERGE"];

/** The commit that is being merged into the tree; null where no merge is under way. */
export function mergingOf({ gitDir }: ShadowRepository): string | null {
  const head = firstLine(path.join(gitDir, "MERGE_HEAD"));
  return head !== null && /^[0-9a-f]{40,64}$/.test(head) ? head : null;
}

export function endMerge({ gitDir }: ShadowRepository): void {
  for (const name of MERGE_FILES) rmSync(path.join(gitDir, name), { force: true });
}

/**
 * Begins a merge in a run's own worktree, as `git merge` does: files with markers, stages in the index, MERGE_HEAD. On
 * disk: what is to be done; the files one by one; the index; MERGE_HEAD; the note gone. The same order again goes on.
 */
export async function beginMerge(handle: SnapshotHandle, order: MergeOrder): Promise<MergeBegun> {
  const { store } = handle;
  const repository = shadowRepository(store.folder, order.tree);
  const begun = recordedAnswer<Merging>(store, "merging", order.tree);
  if (begun === null && mergingOf(repository) !== null)
    return { kind: "begun", files: (await unmergedFiles(repository, order.tree)).map(toText) };
  const merging = begun ?? (await mergeSides(repository, order));
  if (merging === null) return { kind: "clean" };
  const refused = await perform(handle, { repository, tree: order.tree, merging });
  return refused ?? { kind: "begun", files: filesOf(merging.entries).map(toText) };
}

/** Finishes what a process that died has begun; true where there was something. */
export async function finishMerge(handle: SnapshotHandle, tree: string): Promise<boolean> {
  const merging = recordedAnswer<Merging>(handle.store, "merging", tree);
  if (merging === null) return false;
  const repository = shadowRepository(handle.store.folder, tree);
  await perform(handle, { repository, tree, merging });
  return true;
}

/** In conflict by the index of the tree. */
export async function unmergedFiles({ shadow, gitDir }: ShadowRepository, tree: string): Promise<BytePath[]> {
  const index = path.join(gitDir, "index");
  if (!existsSync(index)) return [];
  const { output } = await runGit({ gitDir: shadow, tree, index, args: ["ls-files", "-u", "-z"] });
  return filesOf(bytePath(output).split("\0"));
}

const filesOf = (entries: readonly string[]): BytePath[] => [
  ...new Set(
    entries.filter((entry) => entry.includes("\t")).map((entry) => entry.slice(entry.indexOf("\t") + 1)),
  ),
];

async function mergeSides(
  { shadow: gitDir }: ShadowRepository,
  { tree, theirs, message }: MergeOrder,
): Promise<Merging | null> {
  const head = readHead(tree);
  if (head.kind !== "git" || head.commit === null || head.branch === null)
    throw new Fault("refused", `${tree} is on no branch; expected the run's: switch to it there`);
  const args = ["merge-tree", "--write-tree", "-z", "--no-messages", head.commit, theirs];
  const { code, output } = await runGit({ gitDir, args, answers: [1], limitMs: LONG_LIMIT_MS });
  if (code === 0) return null;
  const [merged = "", ...entries] = bytePath(output)
    .split("\0")
    .filter((part) => part !== "");
  const files = (await differingPaths(gitDir, head.commit, merged)) ?? [];
  return { ours: head.commit, theirs, branch: head.branch, merged, files, entries, message };
}

interface Work {
  readonly repository: ShadowRepository;
  readonly tree: string;
  readonly merging: Merging;
}

async function perform(handle: SnapshotHandle, work: Work): Promise<MergeBegun | null> {
  const { repository, tree, merging } = work;
  const held = await holdIndex(handle, repository, { alone: true });
  if ("locked" in held) return { kind: "locked", file: held.locked };
  try {
    const { ours: before, merged: after, branch, files } = merging;
    const plan = { branch, before, after, how: "merge", files } as const;
    const move: Move = { handle, repository, key: `merging/${tree}`, tree, plan };
    const found = await standing(move, held);
    const isBegun = recordedAnswer(handle.store, "merging", tree) !== null;
    const dirty = found.filter(({ at }) => at === "other").map(({ file }) => file);
    if (!isBegun && dirty.length > 0) return { kind: "dirty", files: dirty.map(toText) };
    recordAnswer(handle.store, "merging", tree, merging);
    handle.world.crashPoint("workspace.merge.noted");
    const behind = found.filter(({ at }) => at === "before");
    const { done, stirred } = await writeFiles(move, after, behind);
    if (stirred !== null) {
      // One that was begun before goes on with the next order.
      if (!isBegun) await writeFiles(move, before, done);
      if (!isBegun) forgetMerge(handle, tree);
      return { kind: "dirty", files: [toText(stirred)] };
    }
    await stageConflicts(work, held);
    handle.world.crashPoint("workspace.merge.files");
    held.replace();
    writeFileSync(path.join(repository.gitDir, "MERGE_MSG"), `${merging.message.trimEnd()}\n`);
    writeFileSync(path.join(repository.gitDir, "MERGE_MODE"), "");
    writeFileSync(path.join(repository.gitDir, "MERGE_HEAD"), `${merging.theirs}\n`);
    handle.world.crashPoint("workspace.merge.begun");
    forgetMerge(handle, tree);
    return null;
  } finally {
    held.release();
  }
}

const forgetMerge = ({ store }: SnapshotHandle, tree: string): void => {
  store.db.prepare("DELETE FROM done WHERE key = ?").run(`merging:${tree}`);
};

async function stageConflicts({ repository, tree, merging }: Work, held: HeldIndex): Promise<void> {
  const call = { gitDir: repository.shadow, tree, index: held.copy };
  await runGit({ ...call, args: ["read-tree", merging.merged] });
  const none = `0 ${"0".repeat(merging.ours.length)}`;
  const gone = filesOf(merging.entries).map((file) => `${none}\t${file}\0`);
  const there = merging.entries.map((entry) => `${entry}\0`);
  const args = ["update-index", "-z", "--index-info"];
  await runGit({ ...call, args, input: bytesOf([...gone, ...there].join("")) });
  await runGit({ ...call, args: ["update-index", "-q", "--refresh"], answers: [1], limitMs: LONG_LIMIT_MS });
}
