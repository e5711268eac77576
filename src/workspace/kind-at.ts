import { lstatSync, readdirSync } from "node:fs";
import { ancestorsOf, type BytePath, bytePath, joined, onDisk } from "./snapshot/byte-path.ts";

/** What stands at a place; a link counts as a file. Nothing stands below a file. */
export function kindAt(place: string | Buffer): "file" | "folder" | "none" {
  try {
    return lstatSync(place).isDirectory() ? "folder" : "file";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return "none";
    throw error;
  }
}

/** The same inside a tree, without following links on the way: what lies beyond one is not in the tree. */
export const kindIn = (tree: string, file: BytePath): ReturnType<typeof kindAt> =>
  ancestorsOf(file).every((folder) => kindAt(onDisk(tree, folder)) === "folder")
    ? kindAt(onDisk(tree, file))
    : "none";

/** Whether git can read it as an entry of the tree: a file, a link, or a repository of its own. */
export const isEntry = (tree: string, file: BytePath): boolean => {
  const kind = kindIn(tree, file);
  return kind === "file" || (kind === "folder" && kindAt(onDisk(tree, joined(file, ".git"))) !== "none");
};

interface Coming {
  readonly tree: string;
  /** All files that differ between the two sides. */
  readonly files: readonly BytePath[];
  /** Those that the coming side has. */
  readonly has: (file: BytePath) => boolean;
}

/**
 * Whether a file cannot be put where it is to stand because of something that is not part of the change: a file where a
 * folder is to be, or a folder that would not be empty by then.
 */
export function isObstructed({ tree, files, has }: Coming): (file: BytePath) => boolean {
  const going = new Set(files.filter((file) => !has(file)));
  const stays = (place: BytePath): boolean => {
    const kind = kindAt(onDisk(tree, place));
    if (kind !== "folder") return kind === "file" && !going.has(place);
    const names = readdirSync(onDisk(tree, place), { encoding: "buffer" }).map(bytePath);
    return names.length === 0 || names.some((name) => stays(joined(place, name)));
  };
  return (file) => {
    if (!has(file)) return false;
    if (kindIn(tree, file) === "folder") return stays(file);
    return ancestorsOf(file).some((folder) => kindAt(onDisk(tree, folder)) === "file" && !going.has(folder));
  };
}
