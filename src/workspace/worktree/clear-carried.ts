import { lstatSync, opendirSync, readFileSync, readlinkSync, rmdirSync, unlinkSync } from "node:fs";
import path from "node:path";
import { linkFor } from "./copy-folder.ts";

interface Both {
  readonly project: string;
  readonly tree: string;
}

/**
 * Removes of what was carried into a worktree all that stands in the user's own folder just as well, byte for byte:
 * nothing is lost with it (I10), and a hundred thousand files of installed packages need not be kept. What differs is
 * left, to be kept like all other files.
 */
export function clearCarried(both: Both, paths: readonly string[]): void {
  for (const name of paths) {
    const [original, copy] = [path.join(both.project, name), path.join(both.tree, name)];
    try {
      clearEntry(both, original, copy);
    } catch {
      // What cannot be compared or removed here is left to the one that removes the rest.
    }
  }
}

function clearEntry(both: Both, original: string, copy: string): boolean {
  const [its, ours] = [lstatSync(original, QUIET), lstatSync(copy, QUIET)];
  if (its === undefined || ours === undefined) return false;
  if (ours.isDirectory()) return its.isDirectory() && clearInside(both, original, copy);
  const isSame = ours.isSymbolicLink()
    ? its.isSymbolicLink() && linkFor(both, { from: original }) === readlinkSync(copy)
    : ours.isFile() && its.isFile() && its.size === ours.size && sameBytes(original, copy);
  if (isSame) unlinkSync(copy);
  return isSame;
}

const QUIET = { throwIfNoEntry: false } as const;

function clearInside(both: Both, original: string, copy: string): boolean {
  const names: string[] = [];
  const folder = opendirSync(copy);
  for (let one = folder.readSync(); one !== null; one = folder.readSync()) names.push(one.name);
  folder.closeSync();
  const isEmptied = names
    .map((name) => clearEntry(both, path.join(original, name), path.join(copy, name)))
    .every((isGone) => isGone);
  if (isEmptied) rmdirSync(copy);
  return isEmptied;
}

const sameBytes = (one: string, other: string): boolean => readFileSync(one).equals(readFileSync(other));
