import { existsSync, statSync } from "node:fs";
import path from "node:path";

/** As git sees it: a file that leads to the repository, or a folder with a HEAD. Sandboxes leave empty ones behind. */
export function isRepositoryRoot(folder: string): boolean {
  const git = path.join(folder, ".git");
  return statSync(git, { throwIfNoEntry: false })?.isDirectory() !== true
    ? existsSync(git)
    : existsSync(path.join(git, "HEAD"));
}
