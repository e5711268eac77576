/**
 * Looks for FIFOs, sockets and devices in the places that git itself opens, before git is started: git would wait for a
 * FIFO's writer for ever, or read a device without end, while it holds the project.
 *
 * 1. In a tree: `.gitignore` and `.gitattributes` of each folder on the way, `.gitmodules` of the tree, and the files
 *    in question. Git follows no link to these, so neither is done here.
 * 2. In a repository: everything git reads by name there. Git does follow links in it, so what they lead to is looked
 *    at.
 */
import { lstatSync, readdirSync, realpathSync, type Dirent } from "node:fs";
import path from "node:path";
import { kindProblem, lookAtPlain, refusalFault } from "../../files/plain-file.ts";
import { ancestorsOf, joined, onDisk, type BytePath } from "./byte-path.ts";
import { kindAt } from "../kind-at.ts";
import type { UserRepository } from "../git/user-repository.ts";

const RULE_FILES = [".gitignore", ".gitattributes"];
const ROOT_FILES = [...RULE_FILES, ".gitmodules"];

/** Whether a file of this name, in this folder, is one that git opens by itself. */
export const isOpenedByGit = (folder: BytePath, name: BytePath): boolean =>
  (folder === "" ? ROOT_FILES : RULE_FILES).includes(name);

/** Git is about to read these files of a tree, and the rules that hold for them. */
export function refuseSpecialFiles(tree: string, files: Iterable<BytePath>): void {
  const folders = new Set<BytePath>([""]);
  for (const file of files) {
    refuseOne(onDisk(tree, file));
    for (const folder of ancestorsOf(file)) folders.add(folder);
  }
  refuseSpecialRules(tree, folders);
}

/** The same for the rules of folders alone. */
export function refuseSpecialRules(tree: string, folders: Iterable<BytePath>): void {
  for (const folder of folders)
    for (const name of folder === "" ? ROOT_FILES : RULE_FILES) refuseOne(onDisk(tree, joined(folder, name)));
}

/** Links and folders are git's own to decide: it waits for neither. */
export function refuseOne(file: string | Buffer): void {
  const stats = kindAt(file) === "none" ? undefined : lstatSync(file, { throwIfNoEntry: false });
  const problem = stats === undefined || stats.isFile() ? null : kindProblem(stats, file);
  if (problem?.why === "special") throw refusalFault(file, problem);
}

/** Entries of a repository that are looked at; a repository with more loose objects and refs than this is packed by git. */
const ENTRIES_MAX = 200_000;
const FOLDERS = ["refs", "objects", "info"];
const DEPTH_MAX = 12;

export function refuseSpecialRepository({ gitDir, commonDir }: UserRepository): void {
  for (const name of ["HEAD", "index", "commondir"]) refuseFollowed(path.join(gitDir, name));
  for (const name of ["HEAD", "packed-refs", "shallow"]) refuseFollowed(path.join(commonDir, name));
  let left = ENTRIES_MAX;
  const look = (folder: string, depth: number): void => {
    for (const entry of entriesOf(folder)) {
      left -= 1;
      if (left < 0) return;
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < DEPTH_MAX) look(file, depth + 1);
      } else if (!entry.isFile()) refuseFollowed(file);
    }
  };
  for (const folder of FOLDERS) look(path.join(commonDir, folder), 0);
}

export function refuseFollowed(file: string): void {
  const found = lookAtPlain(file, "follow");
  if (found?.kind !== "refused" || found.why !== "special") return;
  // The one device that ends at once: people link rules to it that they do not want.
  if (realpathSync(file) !== "/dev/null") throw refusalFault(file, found);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone, or not ours to read: git says so itself.
    return [];
  }
}
