/**
 * Records how the real repository stands before an agent begins that may not write there, compares afterwards, and
 * undoes what is proved to be its doing (G16).
 *
 * On disk at each instant, in the project's store under the order's key: the record `seal`; then, at the end, the plan
 * `seal-plan` of what differs, before anything is undone; then, act by act, a hidden ref in the repository that keeps
 * the present value, and the ref moved back; then the answer `sealed`, and the others are removed. The one that dies in
 * between leaves the plan, and the same order again carries out the rest of it.
 *
 * 1. A ref moves back only from the value that was seen: the one that moved it since keeps it.
 * 2. Nothing that is undone is lost: a hidden ref keeps it. What was deleted is kept by one too.
 * 3. Files are never undone here: who changed them cannot be proved.
 */
import { SEAL_ACTS_MAX, type SealAct, type SealReport } from "../../model/requests/seal.ts";
import { recordAnswer, recordedAnswer } from "../accept/commit-orders.ts";
import { findSealActs, type PlannedAct, undoInPlace } from "./find-seal-acts.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { forgetRecord, lookAtTree } from "../accept/look-at-tree.ts";
import type { ProjectStore } from "../snapshot/project-store.ts";
import { KEPT_REFS, readRepository, sealable, type RepositoryState } from "./read-seal.ts";
import { cutRefLog } from "./ref-log.ts";
import { runGit } from "../git/run-git.ts";
import type { OpenSealOrder, SealOrder } from "./seal-orders.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { takeSnapshot } from "../snapshot/take-snapshot.ts";
import type { ShadowRepository } from "../git/shadow-repository.ts";

interface SealRecord {
  readonly repository: RepositoryState | null;
  readonly files: { readonly digest: string; readonly snapshot: string } | null;
}

interface Plan {
  readonly acts: readonly PlannedAct[];
  readonly files: SealReport["files"] | null;
}

const filesKey = (key: string): string => `seal/${key}`;

export async function sealRepository(handle: SnapshotHandle, order: SealOrder): Promise<void> {
  const { store, world } = handle;
  const { key, project, tree, atMs } = order;
  if (recordedAnswer(store, "seal", key) !== null) return;
  const seen = sealable(store.folder, tree);
  const repository = seen === null ? null : await readRepository(seen, [tree, project]);
  const taken = order.files ? await takeSnapshot(handle, { key: filesKey(key), project, tree, atMs }) : null;
  const files = taken === null ? null : { digest: taken.digest, snapshot: taken.id };
  recordAnswer(store, "seal", key, { repository, files } satisfies SealRecord);
  world.crashPoint("workspace.seal.recorded");
}

const EMPTY: SealReport = { acts: [], count: 0 };

export async function openSeal(handle: SnapshotHandle, order: OpenSealOrder): Promise<SealReport> {
  const { store, world } = handle;
  const { key } = order;
  const answer = recordedAnswer<SealReport>(store, "sealed", key);
  if (answer !== null) return answer;
  const record = recordedAnswer<SealRecord>(store, "seal", key);
  if (record === null) return EMPTY;
  const seen = sealable(store.folder, order.tree);
  const plan = recordedAnswer<Plan>(store, "seal-plan", key) ?? (await makePlan(handle, order, record, seen));
  const acts: SealAct[] = [];
  for (const [nth, act] of plan.acts.entries())
    acts.push(seen === null ? plainAct(act) : await carryOut(handle, seen, { order, act, nth }));
  const report = {
    acts: acts.slice(0, SEAL_ACTS_MAX),
    count: acts.length,
    ...(plan.files === null || plan.files === undefined ? {} : { files: plan.files }),
  };
  recordAnswer(store, "sealed", key, report);
  world.crashPoint("workspace.seal.answered");
  forgetAnswers(store, key);
  return report;
}

async function makePlan(
  handle: SnapshotHandle,
  { key, project, tree, atMs, email, files }: OpenSealOrder,
  record: SealRecord,
  repository: ShadowRepository | null,
): Promise<Plan> {
  const { store, world } = handle;
  const acts =
    repository === null || record.repository === null
      ? []
      : await findSealActs({
          repository,
          email,
          before: record.repository,
          now: await readRepository(repository, [tree, project]),
        });
  const look =
    record.files === null || !files
      ? null
      : (await lookAtTree(handle, { project, tree, atMs, since: record.files })).moved;
  const plan = recordAnswer(store, "seal-plan", key, { acts, files: look });
  world.crashPoint("workspace.seal.planned");
  return plan;
}

interface ToDo {
  readonly order: OpenSealOrder;
  readonly act: PlannedAct;
  readonly nth: number;
}

const plainAct = ({ what, before, after, by, proved, undone, kept }: PlannedAct): SealAct => ({
  ...{ what, before, after, by, proved, undone, kept },
});

async function carryOut(
  { world }: SnapshotHandle,
  repository: ShadowRepository,
  { order, act, nth }: ToDo,
): Promise<SealAct> {
  const value = act.undo ? act.after : act.after === null ? act.before : null;
  const isObject = value !== null && !act.what.startsWith(".git/") && /^[0-9a-f]{40,64}$/.test(value);
  const name = `${KEPT_REFS}breach/${hashOf(order.key).slice(0, 12)}/${String(nth + 1)}`;
  const kept = isObject && act.what !== "index" && (await keep(repository, name, value)) ? name : null;
  world.crashPoint("workspace.seal.kept");
  if (!act.undo) return { ...plainAct(act), kept };
  const undone =
    act.tree === null
      ? kept !== null && (await moveBack(repository, act, order.email))
      : await undoInPlace(repository, act, act.tree);
  world.crashPoint("workspace.seal.undone");
  return { ...plainAct(act), kept, undone };
}

async function keep({ shadow }: ShadowRepository, name: string, oid: string): Promise<boolean> {
  const { code } = await runGit({ gitDir: shadow, args: ["update-ref", name, oid], answers: [1, 128] });
  return code === 0;
}

/** Only from the value that was seen; done before is done. */
async function moveBack(
  { shadow, commonDir }: ShadowRepository,
  { what, after, back }: PlannedAct,
  email: string,
): Promise<boolean> {
  const args =
    back === null ? ["update-ref", "-d", what, after ?? ""] : ["update-ref", what, back, after ?? ""];
  const { code } = await runGit({ gitDir: shadow, args, answers: [1, 128] });
  const { output } = await runGit({
    gitDir: shadow,
    args: ["rev-parse", "-q", "--verify", what],
    answers: [1, 128],
  });
  const isBack = code === 0 || output.toString().trim() === (back ?? "");
  // Each line of this log is a stash of its own.
  if (isBack && what === "refs/stash") cutRefLog(commonDir, what, email);
  return isBack;
}

function forgetAnswers(store: ProjectStore, key: string): void {
  const drop = store.db.prepare("DELETE FROM done WHERE key = ?");
  for (const kind of ["seal", "seal-plan"]) drop.run(`${kind}:${key}`);
  forgetRecord(store, filesKey(key));
}
