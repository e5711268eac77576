import { MOVED_FILES_MAX, type MovedFiles } from "../../model/state/bound-tree.ts";
import { matchesPattern } from "../../model/text/wildcards.ts";
import { compareSnapshots } from "../snapshot/compare-snapshots.ts";
import type { ProjectStore } from "../snapshot/project-store.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { takeSnapshot } from "../snapshot/take-snapshot.ts";
import type { Look, LookOrder } from "./look-orders.ts";

/**
 * How a tree differs from a snapshot now. To be called while the store is held. What had to be taken in for it is
 * recorded for a moment under a key of its own: a record of an earlier look says nothing of the tree as it is now. Its
 * objects are freed with those of the next release. Dying in between leaves one record too many.
 */
export async function lookAtTree(handle: SnapshotHandle, order: LookOrder): Promise<Look> {
  const { store, world } = handle;
  const { project, tree, atMs, since, aside = [] } = order;
  const key = `look/${world.id("look")}`;
  const now = await takeSnapshot(handle, { key, project, tree, atMs });
  try {
    const { digest } = now;
    const moved = since.digest === digest ? null : await movedFiles(handle, [since.snapshot, now.id], aside);
    return { digest, moved };
  } finally {
    forgetRecord(store, key);
  }
}

/** The next order under this key takes the tree again. */
export const forgetRecord = ({ db }: ProjectStore, key: string): void => {
  db.prepare("DELETE FROM snapshot WHERE key = ?").run(key);
};

async function movedFiles(
  handle: SnapshotHandle,
  [from, to]: readonly [string, string],
  aside: readonly string[],
): Promise<MovedFiles | null> {
  const { changes, count } = await compareSnapshots(handle, from, to);
  const files = changes
    .map(({ path }) => path)
    .filter((path) => !aside.some((pattern) => matchesPattern(pattern, path)));
  const all = files.length + count - changes.length;
  return all === 0 ? null : { files: files.slice(0, MOVED_FILES_MAX), count: all };
}
