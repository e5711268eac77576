import { existsSync } from "node:fs";
import { recordAnswer, recordedAnswer } from "./answers.ts";
import type { Head, TakenIn } from "./commit-orders.ts";
import { compareCommits } from "./compare-commits.ts";
import { clearAside, refresh, stageIn, standing, writeFiles, type Move, type Plan } from "./move-files.ts";
import type { SnapshotDesk } from "./snapshot-desk.ts";
import { holdIndex, type HeldIndex } from "./user-index.ts";
import { findRepository, readHead } from "./user-repository.ts";
import { veilRepository } from "./veiled-repository.ts";

/**
 * Acceptances that were begun and not ended, because their process died or the disk was full: each is finished where
 * the branch has moved already, and undone where it has not. Those whose index another git process holds just now wait
 * for the next look.
 */
export async function settleTakeIns(desk: SnapshotDesk, project: string): Promise<void> {
  const { store } = desk;
  const rows = store.db.prepare("SELECT key FROM done WHERE key >= 'take-in:' AND key < 'take-in;'").all();
  for (const row of rows) {
    const key = String(row["key"]).slice("take-in:".length);
    const plan = recordedAnswer<Plan>(store, "take-in", key);
    if (plan === null || recordedAnswer(store, "taken-in", key) !== null) continue;
    const tree = plan.tree ?? project;
    // A tree that is gone has nothing half done.
    if (!existsSync(tree) || findRepository(tree) === null) continue;
    const move = { desk, repository: veilRepository(store.folder, tree), key, tree, plan };
    await settleTakeIn(move);
  }
}

/** Whether the work is in the branch now. False also where it could not be looked at; it is then tried again later. */
export async function settleTakeIn(move: Move): Promise<boolean> {
  try {
    const held = await holdIndex(move.desk, move.repository, { waitMs: 0 });
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
  if (isTaken && head.kind === "git" && head.commit === plan.after) {
    const stale = found.filter(({ staged }) => staged === "before").map(({ file }) => file);
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
  const ours = found.filter(({ at, staged }) => at === "after" && staged === "before");
  await writeFiles(
    move,
    plan.before,
    ours.map(({ file }) => file),
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

export function finished({ desk: { store }, key, plan }: Move): TakenIn {
  const { after, branch, how, files } = plan;
  const taken: TakenIn = { kind: "taken", commit: after, into: branch, how, files };
  recordAnswer(store, "taken-in", key, taken);
  store.db.prepare("DELETE FROM done WHERE key = ?").run(`take-in:${key}`);
  return taken;
}

/** A later order begins from the start. */
export function dropPlan({ desk: { store }, key }: Move): void {
  store.db.prepare("DELETE FROM done WHERE key = ?").run(`take-in:${key}`);
}
