import { linkSync, lstatSync, renameSync, rmSync } from "node:fs";
import { recordAnswer } from "../accept/commit-orders.ts";
import { onDisk, toText, type BytePath } from "../snapshot/byte-path.ts";
import { isAsCarried, type CarriedState } from "./carried-state.ts";
import { kindAt } from "../kind-at.ts";
import {
  clearOwn,
  entriesOf,
  indexOf,
  makeParent,
  ownOf,
  remove,
  type Move,
  type Standing,
} from "../accept/move-files.ts";

/**
 * Files that the user changed, that were carried into the run's worktree, and that are still exactly as they were
 * carried: an acceptance replaces them, for they are in the ref of what was carried (`carried-state.ts`).
 *
 * On disk at each instant: a hard link of each such file in the repository's folder; the plan, which names them now;
 * then they are replaced like all others. Undoing puts the links back, so that not even a time of change differs.
 */
export async function asCarried(
  move: Move,
  dirty: readonly Standing[],
  carried: CarriedState | null,
): Promise<readonly BytePath[]> {
  if (carried === null || dirty.length === 0) return [];
  const { tree, handle } = move;
  const files = dirty.map(({ file }) => file);
  const kept = await entriesOf(await indexOf(move, carried.commit), files);
  const staged = await entriesOf(await indexOf(move, `${carried.commit}^2`), files);
  return dirty
    .filter((one) => {
      const { file, now, entry } = one;
      const isStagedKnown = one.staged !== "other" || entry === now || entry === staged.get(file);
      return (
        isStagedKnown &&
        now === kept.get(file) &&
        isAsCarried(carried, tree, toText(file), handle.world.now())
      );
    })
    .map(({ file }) => file);
}

/** To be called before the first of them is replaced. */
export function holdReplaced(
  move: Move,
  files: readonly BytePath[],
  { ref, work }: { readonly ref: string; readonly work: string },
): void {
  const { handle, tree, key } = move;
  clearOwn(move);
  for (const file of files) {
    const from = onDisk(tree, file);
    if (kindAt(from) === "none") continue;
    makeParent(ownOf(move), file);
    linkSync(from, onDisk(ownOf(move), file));
  }
  recordAnswer(handle.store, "take-in", key, { ...move.plan, replaced: { ref, work, files } });
  handle.world.crashPoint("workspace.take-in.replacing");
}

/** Of what was replaced these become what they were. */
export function putBackReplaced(move: Move, files: readonly BytePath[]): void {
  for (const file of files) {
    const own = onDisk(ownOf(move), file);
    if (kindAt(own) === "none") {
      remove(move.tree, file);
      continue;
    }
    const place = onDisk(move.tree, file);
    makeParent(move.tree, file);
    // Of two names of one file a rename would leave both.
    if (lstatSync(place, { throwIfNoEntry: false })?.ino === lstatSync(own).ino) rmSync(own);
    else renameSync(own, place);
  }
}
