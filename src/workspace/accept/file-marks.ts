import { lstatSync } from "node:fs";
import { onDisk, type BytePath } from "../snapshot/byte-path.ts";

/** A file as it was seen, to be known again right before it is replaced. */
export interface Seen {
  readonly file: BytePath;
  readonly mark: string;
}

const NONE = "-";
const FOLDER = "folder";

/** Changes with every file that is written, replaced, made or removed; a link of ours to the file changes nothing. */
export function markAt(tree: string, file: BytePath): string {
  const stat = lookAt(tree, file);
  if (stat === undefined) return NONE;
  if (stat.isDirectory()) return FOLDER;
  return [stat.ino, stat.mtimeNs, stat.size, stat.mode].map(String).join(" ");
}

/** Something else than a folder may stand above it: then it is not there either. */
function lookAt(tree: string, file: BytePath) {
  try {
    return lstatSync(onDisk(tree, file), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Whether somebody else has written, made or removed it since. Folders go with the last of their own files. */
export function isStirred(tree: string, { file, mark }: Seen): boolean {
  const now = markAt(tree, file);
  return now !== mark && !(mark === FOLDER && now === NONE) && now !== FOLDER;
}
