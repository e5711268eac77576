import { recordAnswer, recordedAnswer } from "../accept/commit-orders.ts";
import { makeFolders, removeExtra, setPermissions, writeFile, type RestoreWork } from "./apply-restore.ts";
import { fromText, type BytePath } from "./byte-path.ts";
import { listSnapshot, notFound, type SnapshotListing } from "./list-snapshot.ts";
import { readObjects } from "./read-objects.ts";
import { isEmptyPlan, planRestore, sparing, stirredFiles, type RestorePlan } from "./restore-plan.ts";
import { recordedSnapshot, skippedFacts, takeSnapshot } from "./take-snapshot.ts";
import type { SnapshotHandle } from "./snapshot-handle.ts";
import type { Restored, RestoreOrder, SkipReason } from "../workspace.ts";

/** A tree that is still being changed is tried this often; what does not hold still is then left, and reported. */
const PASSES_MAX = 3;
const FILES_AT_ONCE = 64;

/**
 * Each pass begins with a verified snapshot of what is there, so every pass, and every try after a crash, destroys only
 * what is kept. The last pass finds nothing to do: that is the proof that the tree is what was asked for.
 */
export async function restoreTree(
  handle: SnapshotHandle,
  order: RestoreOrder,
  isLeftOut?: (path: BytePath) => boolean,
): Promise<Restored> {
  const { store, world } = handle;
  const recorded = recordedAnswer<Restored>(store, "restore", order.key);
  if (recorded !== null) return recorded;
  const whole = await listSnapshot(handle, order.snapshot);
  const target = isLeftOut === undefined ? whole : without(whole, isLeftOut);
  const only = order.paths?.map(fromText) ?? null;
  const expected = order.expected === undefined ? null : await listSnapshot(handle, order.expected);
  const left = new Map<BytePath, SkipReason>();
  const done = { written: 0, removed: 0 };
  for (let pass = 1; pass <= PASSES_MAX; pass += 1) {
    left.clear();
    world.crashPoint("workspace.restore.before");
    const now = await rescue(handle, order);
    world.crashPoint("workspace.restore.rescued");
    const stirred = expected === null ? [] : stirredFiles(now, target, { expected, only });
    for (const path of stirred) left.set(path, "changing");
    const plan = planRestore(now, sparing(target, now, stirred), only);
    if (isEmptyPlan(plan)) break;
    await carryOut(handle, { tree: order.tree, world, now, left, done }, plan);
    world.crashPoint("workspace.restore.passed");
  }
  for (const path of target.skipped)
    if (!left.has(path) && (only === null || only.includes(path))) left.set(path, "not_kept");
  const before = recordedSnapshot(store, rescueKey(order, 1))?.id ?? "";
  const restored: Restored = { before, ...done, left: skippedFacts(left.entries()) };
  recordAnswer(store, "restore", order.key, restored);
  world.crashPoint("workspace.restore.after");
  return restored;
}

const without = (listing: SnapshotListing, isLeftOut: (path: BytePath) => boolean): SnapshotListing => ({
  ...listing,
  files: new Map([...listing.files].filter(([path]) => !isLeftOut(path))),
});

const rescueKey = (order: RestoreOrder, number: number): string => `${order.key}/before/${String(number)}`;

/** Always a new one: what an earlier try has left is a tree like any other. */
async function rescue(handle: SnapshotHandle, order: RestoreOrder): Promise<SnapshotListing> {
  let number = 1;
  while (recordedSnapshot(handle.store, rescueKey(order, number)) !== null) number += 1;
  const { project, tree, atMs, rules } = order;
  const key = rescueKey(order, number);
  const note = `before the restore to ${order.snapshot}`;
  const taken = await takeSnapshot(handle, {
    project,
    tree,
    atMs,
    key,
    note,
    ...(rules === undefined ? {} : { rules }),
  });
  return listSnapshot(handle, taken.id);
}

async function carryOut({ store }: SnapshotHandle, work: RestoreWork, plan: RestorePlan): Promise<void> {
  removeExtra(work, plan);
  makeFolders(work, plan);
  for (let at = 0; at < plan.writes.length; at += FILES_AT_ONCE) {
    const some = plan.writes.slice(at, at + FILES_AT_ONCE);
    const blobs = await readObjects(store.gitDir, [...new Set(some.map(({ oid }) => oid))]);
    for (const file of some) {
      const blob = blobs?.get(file.oid);
      if (blob === undefined) throw notFound(file.oid);
      writeFile(work, file, blob.bytes);
    }
  }
  setPermissions(work, plan);
}
