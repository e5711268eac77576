import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { Fault } from "../../model/fault.ts";

const NAMES = ["holdfast.yaml", "holdfast.yml", "holdfast.json"] as const;
/** Code. The one that clones a repository has not asked for it to be run, so it is named and left alone. */
const CODE_NAMES = [
  "holdfast.ts",
  "holdfast.mts",
  "holdfast.cts",
  "holdfast.js",
  "holdfast.mjs",
  "holdfast.cjs",
] as const;

/** Whether a file is a program, which is run to read it. */
export const isCode = (file: string): boolean => /\.[mc]?[tj]s$/.test(file);

/**
 * The configuration that belongs to a folder: in it, or above it up to the root of its repository. Outside of a
 * repository only the folder itself counts: what lies about in /tmp or a home folder was not meant for this work.
 */
export function findConfig(cwd: string): string | null {
  for (const folder of foldersUpToRoot(cwd)) {
    const found = configsIn(folder);
    if (found.length > 1)
      throw new Fault(
        "config_invalid",
        `there are ${String(found.length)} configurations in one folder: ${found.join(", ")}; expected one, so remove the others`,
        { details: { files: found } },
      );
    if (found[0] !== undefined) return found[0];
  }
  return null;
}

const configsIn = (folder: string): string[] =>
  NAMES.map((name) => path.join(folder, name)).filter((file) => existsSync(file));

/** Configuration as code that lies where a configuration is looked for, and is not run. */
export const findCodeConfig = (cwd: string): string | null =>
  foldersUpToRoot(cwd)
    .flatMap((folder) => CODE_NAMES.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file)) ?? null;

/** The user's own configuration in a folder; null where there is none. */
export const findHostConfig = (folder: string): string | null => configsIn(folder)[0] ?? null;

export function foldersUpToRoot(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (isRepositoryRoot(folder)) return folders;
    if (folder === path.dirname(folder)) return folders.slice(0, 1);
  }
}

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
    // A submodule, or one that git itself could not read: where it stands shows which.
    return root;
  }
}
