import { copyFileSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import path from "node:path";

/**
 * Copies regular files and links of a folder; nothing is followed, and pipes and sockets are left out. A file that goes
 * away meanwhile is left out too. Answers the files that were copied, from the folder.
 */
export function copyFolder(
  from: string,
  to: string,
  isWanted: (file: string) => boolean = () => true,
): string[] {
  const copied: string[] = [];
  const copy = (below: string): void => {
    mkdirSync(path.join(to, below), { recursive: true, mode: 0o700 });
    for (const name of readdirSync(path.join(from, below))) {
      const file = path.join(below, name);
      const found = lstatSync(path.join(from, file), { throwIfNoEntry: false });
      if (found === undefined || !isWanted(file)) continue;
      if (found.isDirectory()) copy(file);
      else if (found.isSymbolicLink()) symlinkSync(readlinkSync(path.join(from, file)), path.join(to, file));
      else if (found.isFile() && copyOne(path.join(from, file), path.join(to, file))) copied.push(file);
    }
  };
  copy("");
  return copied;
}

function copyOne(from: string, to: string): boolean {
  try {
    copyFileSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
