import { existsSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { isRepositoryRoot } from "../repository-root.ts";

const NAMES = ["holdfast.yaml", "holdfast.yml", "holdfast.json", "holdfast.ts"] as const;

/**
 * The configuration that belongs to a folder: in it, or above it up to the root of its repository. Outside of a
 * repository only the folder itself counts: what lies about in /tmp or a home folder was not meant for this work.
 */
export function findConfig(cwd: string): string | null {
  for (const folder of foldersUpToRoot(cwd)) {
    const found = NAMES.map((name) => path.join(folder, name)).filter((file) => existsSync(file));
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

export function foldersUpToRoot(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (isRepositoryRoot(folder)) return folders;
    if (folder === path.dirname(folder)) return folders.slice(0, 1);
  }
}
