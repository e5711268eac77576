import { lstatSync } from "node:fs";
import { ancestorsOf, joined, onDisk, type BytePath } from "./snapshot/byte-path.ts";

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
