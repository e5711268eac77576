import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";

/** As git sees it: a file that leads to the repository, or a folder with a HEAD. Sandboxes leave empty ones behind. */
export function isRepositoryRoot(folder: string): boolean {
  const git = path.join(folder, ".git");
  return statSync(git, { throwIfNoEntry: false })?.isDirectory() !== true
    ? existsSync(git)
    : existsSync(path.join(git, "HEAD"));
}

/** The repository that a folder is in, the same for all its worktrees; null where it is in none. */
export function repositoryOf(folder: string): string | null {
  if (isRepositoryRoot(folder)) return mainTree(folder);
  const parent = path.dirname(folder);
  return parent === folder ? null : repositoryOf(parent);
}

const textOf = (file: string): string => plainText(file, { bytesMax: RECORD_BYTES_MAX }) ?? "";

/** A worktree's `.git` is a file that leads to a folder of its own in the repository, where `commondir` leads on. */
function mainTree(root: string): string {
  try {
    const git = path.join(root, ".git");
    if (statSync(git).isDirectory()) return realpathSync(root);
    const own = path.resolve(
      root,
      textOf(git)
        .replace(/^gitdir:/, "")
        .trim(),
    );
    const common = path.resolve(own, textOf(path.join(own, "commondir")).trim());
    return realpathSync(path.basename(common) === ".git" ? path.dirname(common) : common);
  } catch {
    // A submodule, or one that git itself could not read: it is told apart by where it stands.
    return root;
  }
}
