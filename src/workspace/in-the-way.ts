import { readdirSync } from "node:fs";
import { ancestorsOf, bytePath, joined, onDisk, type BytePath } from "./snapshot/byte-path.ts";
import { kindAt, kindIn } from "./kind-at.ts";

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
