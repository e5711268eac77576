import { existsSync } from "node:fs";
import { type Head, recordAnswer, recordedAnswer, type TakenIn } from "./commit-orders.ts";
import { toText } from "../snapshot/byte-path.ts";
import { compareCommits } from "./compare-commits.ts";
import {
  clearAside,
  clearOwn,
  refresh,
  stageIn,
  standing,
  writeFiles,
  type Move,
  type Plan,
} from "./move-files.ts";
import { putBackReplaced } from "../worktree/replace-carried.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { holdIndex, type HeldIndex } from "../git/user-index.ts";
import { findRepository, readHead } from "../git/user-repository.ts";
import { shadowRepository } from "../git/shadow-repository.ts";

/**
 * Acceptances that were begun and not ended, because their process died or the disk was full: each is finished where
 * the branch has moved already, and undone where it has not. Those whose index another git process holds just now wait
 * for the next look.
 */
export async function settleTakeIns(handle: SnapshotHandle, project: string): Promise<void> {
  const { store } = handle;
  const rows = store.db.prepare("SELECT key FROM done WHERE key >= 'take-in:' AND key < 'take-in;'").all();
  for (const row of rows) {
    const key = String(row["key"]).slice("take-in:".length);
    const plan = recordedAnswer<Plan>(store, "take-in", key);
    if (plan === null || recordedAnswer(store, "taken-in", key) !== null) continue;
    const tree = plan.tree ?? project;
    // A tree that is gone has nothing half done.
    if (!existsSync(tree) || findRepository(tree) === null) continue;
    const move = { handle, repository: shadowRepository(store.folder, tree), key, tree, plan };
    await settleTakeIn(move);
  }
}

/** Whether the work is in the branch now. False also where it could not be looked at; it is then tried again later. */
export async function settleTakeIn(begun: Move): Promise<boolean> {
  const move = asRecorded(begun);
  try {
    const held = await holdIndex(move.handle, move.repository, { waitMs: 0 });
    if ("locked" in held) return false;
    try {
      return await settle(move, held);
    } finally {
      held.release();
    }
  } catch (error) {
    // The plan stays, and with it the next try.
    if (error instanceof Error) return false;
    throw error;
  }
}

async function settle(move: Move, held: HeldIndex): Promise<boolean> {
  const { tree, plan } = move;
  const found = await standing(move, held);
  const head = readHead(tree);
  const isTaken = await hasTaken(move, head);
  const replaced = new Set(plan.replaced?.files);
  if (isTaken && head.kind === "git" && head.commit === plan.after) {
    const stale = found
      .filter(({ file, staged }) => staged === "before" || (staged === "other" && replaced.has(file)))
      .map(({ file }) => file);
    await stageIn(move, held, stale);
    await refresh(move, held);
    held.replace();
  }
  if (isTaken) {
    clearAside(move);
    finished(move);
    return true;
  }
  // By the user's own index the file is as it was: that it is otherwise is our doing.
  const ours = found.filter(
    ({ file, at, staged }) => at === "after" && staged === "before" && !replaced.has(file),
  );
  await writeFiles(move, plan.before, ours);
  putBackReplaced(
    move,
    found.filter(({ file, at }) => at === "after" && replaced.has(file)).map(({ file }) => file),
  );
  dropPlan(move);
  return false;
}

/** The branch is where the plan wants it, or somebody has gone on from there. */
async function hasTaken({ repository, plan }: Move, head: Head): Promise<boolean> {
  if (head.kind !== "git" || head.branch !== plan.branch || head.commit === null) return false;
  const { relation } = await compareCommits(repository, plan.after, head.commit);
  return relation === "same" || relation === "forward";
}

/** A plan grows while it is carried out. */
const asRecorded = (move: Move): Move => ({
  ...move,
  plan: recordedAnswer<Plan>(move.handle.store, "take-in", move.key) ?? move.plan,
});

export function finished(begun: Move): TakenIn {
  const move = asRecorded(begun);
  const { handle, key, plan } = move;
  const { store } = handle;
  const { after, branch, how, files, replaced } = plan;
  const own =
    replaced === undefined ? {} : { replaced: { ref: replaced.ref, files: replaced.files.map(toText) } };
  const taken: TakenIn = {
    ...{ kind: "taken", commit: after, into: branch, how },
    ...{ files: files.map(toText), ...own },
  };
  // What was replaced is held by the ref alone from now on.
  if (replaced !== undefined) recordAnswer(store, "replaced", replaced.work, { ref: replaced.ref });
  clearOwn(move);
  recordAnswer(store, "taken-in", key, taken);
  store.db.prepare("DELETE FROM done WHERE key = ?").run(`take-in:${key}`);
  return taken;
}

/** A later order begins from the start. */
export function dropPlan(move: Move): void {
  const {
    handle: { store },
    key,
  } = move;
  clearOwn(move);
  store.db.prepare("DELETE FROM done WHERE key = ?").run(`take-in:${key}`);
}
