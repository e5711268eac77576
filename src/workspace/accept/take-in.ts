import { type Head, recordAnswer, recordedAnswer, type TakeInOrder, type TakenIn } from "./commit-orders.ts";
import { carriedFor } from "../worktree/carried-state.ts";
import { toText, type BytePath } from "../snapshot/byte-path.ts";
import { compareCommits, differingPaths, droppedCommits, pickedTree, tryMerge } from "./compare-commits.ts";
import { filteredFiles } from "../worktree/create-worktree.ts";
import { mergedFromCarried } from "../worktree/merge-carried.ts";
import { isStirred, type Seen } from "./file-marks.ts";
import { indexOf, refresh, stageIn, standing, writeFiles, type Move, type Plan } from "./move-files.ts";
import { asCarried, holdReplaced, putBackReplaced } from "../worktree/replace-carried.ts";
import { runGit } from "../git/run-git.ts";
import { dropPlan, finished, settleTakeIn, settleTakeIns } from "./settle-take-in.ts";
import { refuseSpecialFiles } from "../snapshot/special-files.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { takeSnapshot } from "../snapshot/take-snapshot.ts";
import { holdIndex, type HeldIndex } from "../git/user-index.ts";
import { readHead } from "../git/user-repository.ts";
import { isLinkedTree, keepWork } from "../worktree/work-ref.ts";
import { shadowRepository, type ShadowRepository } from "../git/shadow-repository.ts";

/**
 * Takes a commit into the branch that the user's tree is on: files, branch and index together, or none of them.
 *
 * On disk at each instant: the plan; a verified snapshot of the tree; our lock on the index, so that no git of the
 * user's commits, switches or stages; the files, each whole, by rename; the branch; the index; the answer. A file is
 * replaced only where it is as the branch has it, in the tree and in the index, or exactly as it was carried into the
 * run's worktree (`replace-carried.ts`). What a process that died has left is found by its plan, and finished where the branch has moved, undone where it has not: by the next order of this kind,
 * or by the next process that opens the project's store.
 */
export async function takeIn(handle: SnapshotHandle, order: TakeInOrder): Promise<TakenIn> {
  const { store } = handle;
  await settleTakeIns(handle, order.project);
  const recorded = recordedAnswer<TakenIn>(store, "taken-in", order.key);
  if (recorded !== null) return recorded;
  if (order.answerOnly === true) return { kind: "unknown" };
  const tree = order.tree ?? order.project;
  const repository = shadowRepository(store.folder, tree);
  const carried = carriedFor(handle, order.work)?.commit ?? null;
  const plan = await makePlan(repository, { ...order, carried }, tree);
  if ("kind" in plan) return plan;
  refuseSpecialFiles(tree, plan.files);
  const move: Move = { handle, repository, key: order.key, tree, plan };
  recordAnswer(store, "take-in", order.key, plan);
  handle.world.crashPoint("workspace.take-in.planned");
  const refused = await carryOut(move, order);
  if (refused === null) return finished(move);
  dropPlan(move);
  return refused;
}

/** With what the user had not committed when the work was begun. */
type Begun = TakeInOrder & { readonly carried: string | null };

async function makePlan(repository: ShadowRepository, order: Begun, tree: string): Promise<Plan | TakenIn> {
  const head = readHead(tree);
  if (head.kind !== "git" || head.branch === null || head.commit === null) return { kind: "moved", head };
  const { branch, commit: before } = head;
  const { relation } = await compareCommits(repository, before, order.commit);
  const already: TakenIn = { kind: "taken", commit: before, into: branch, how: "already", files: [] };
  if (relation === "same" || relation === "back") return already;
  const { base, dropped: how } = order;
  const dropped =
    base === undefined || how === "bring" ? null : await droppedCommits(repository, base, before);
  if (dropped !== null && how !== "leave") return { kind: "dropped", into: branch, ...dropped };
  const isForward = relation === "forward" && dropped === null;
  const after = isForward
    ? order.commit
    : await mergeCommit(repository, order, { before, picked: dropped !== null });
  if (typeof after !== "string") return after;
  const files = (await differingPaths(repository.shadow, before, after)) ?? [];
  // What was picked is there already: the user has it in other commits.
  if (files.length === 0 && dropped !== null) return already;
  return { branch, before, after, how: isForward ? "fast_forward" : "merge", files, tree };
}

async function mergeCommit(
  repository: ShadowRepository,
  order: Begun,
  { before, picked }: { readonly before: string; readonly picked: boolean },
): Promise<string | TakenIn> {
  const { commit, base, carried, message, author, atMs } = order;
  const merged =
    picked && base !== undefined
      ? await pickedTree(repository, { base, commit }, before)
      : ((carried === null ? null : await mergedFromCarried(repository, { commit, carried }, before)) ??
        (await tryMerge(repository, before, commit)));
  if (merged.kind !== "clean")
    return { kind: "conflict", files: merged.kind === "conflict" ? merged.files : [] };
  const at = `@${String(Math.floor(atMs / 1_000))} +0000`;
  const made = await runGit({
    gitDir: repository.shadow,
    args: ["commit-tree", "-p", before, ...(picked ? [] : ["-p", commit]), merged.tree],
    input: message,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: at,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
      GIT_COMMITTER_DATE: at,
    },
  });
  return made.output.toString().trim();
}

/** Null once files, branch and index are where they should be. */
async function carryOut(move: Move, order: TakeInOrder): Promise<TakenIn | null> {
  const { handle, repository, key, tree, plan } = move;
  const { project, atMs } = order;
  const filtered = await filteredFiles(await indexOf(move, plan.after), plan.files);
  if (filtered.length > 0) return { kind: "filtered", files: filtered.map(toText) };
  const note = "before work was taken in";
  await takeSnapshot(handle, { key: `${key}/before`, project, tree, atMs, note });
  handle.world.crashPoint("workspace.take-in.kept");
  const held = await holdIndex(handle, repository);
  if ("locked" in held) return { kind: "locked", file: held.locked };
  handle.world.crashPoint("workspace.take-in.locked");
  try {
    return await moveAll(move, held, order.work);
  } catch (error) {
    // What a fault has left half done is undone at once, or else by the next order.
    if (await settleTakeIn(move)) return null;
    throw error;
  } finally {
    held.release();
  }
}

async function moveAll(move: Move, held: HeldIndex, work?: string): Promise<TakenIn | null> {
  const { handle, repository, tree, plan } = move;
  const head = readHead(tree);
  if (!isAt(head, plan)) return { kind: "moved", head };
  const found = await standing(move, held);
  handle.world.crashPoint("workspace.take-in.looked");
  const dirty = found.filter(({ at, staged }) => at === "other" || staged === "other");
  const carried = carriedFor(handle, work);
  const replaced = new Set<BytePath>(await asCarried(move, dirty, carried));
  const inTheWay = dirty.filter(({ file }) => !replaced.has(file)).map(({ file }) => file);
  if (inTheWay.length > 0) return { kind: "dirty", files: inTheWay.map(toText) };
  if (carried !== null && work !== undefined && replaced.size > 0)
    holdReplaced(move, [...replaced], { ref: carried.ref, work });
  await stageIn(move, held, plan.files);
  const behind = found.filter(({ at }) => at !== "after");
  const { done, stirred } = await writeFiles(move, plan.after, behind);
  if (stirred !== null) {
    await takeBack(move, done, replaced);
    return { kind: "dirty", files: [toText(stirred)] };
  }
  await refresh(move, held);
  handle.world.crashPoint("workspace.take-in.files");
  const args = ["update-ref", `refs/heads/${plan.branch}`, plan.after, plan.before];
  const moved = await runGit({ gitDir: repository.shadow, args, answers: [1, 128] });
  if (moved.code !== 0) {
    await takeBack(move, done, replaced);
    return { kind: "moved", head: readHead(tree) };
  }
  handle.world.crashPoint("workspace.take-in.branch");
  if (isLinkedTree(repository)) await keepWork(repository, plan.branch, plan.after);
  held.replace();
  handle.world.crashPoint("workspace.take-in.staged");
  return null;
}

/** What was moved becomes what it was, but for what somebody has changed since. */
async function takeBack(move: Move, done: readonly Seen[], replaced: ReadonlySet<BytePath>): Promise<void> {
  const ours = done.filter((seen) => !isStirred(move.tree, seen));
  const plain = ours.filter(({ file }) => !replaced.has(file));
  await writeFiles(move, move.plan.before, plain);
  putBackReplaced(
    move,
    ours.filter(({ file }) => replaced.has(file)).map(({ file }) => file),
  );
}

const isAt = (head: Head, { branch, before }: Plan): boolean =>
  head.kind === "git" && head.branch === branch && head.commit === before;
