import path from "node:path";
import { hashOf } from "../snapshot/hash-of.ts";
import { realFolder } from "../snapshot/project-store.ts";
import { findRepository } from "../git/user-repository.ts";
import type { WorktreePlace } from "./worktree-orders.ts";

/** Where the worktree of a run stands: by the name of its project and its own. */
export function worktreePlace(
  home: string,
  { project, name, folder }: { readonly project: string; readonly name: string; readonly folder?: string },
): WorktreePlace {
  const asked = realFolder(project);
  const root = repositoryRoot(asked);
  const of = `${path.basename(root)}-${hashOf(root).slice(0, 8)}`;
  const tree = path.join(folder ?? path.join(home, "worktrees"), of, name);
  return { project: root, tree, inside: path.relative(root, asked) };
}

/** The folder that holds the repository, for a folder inside of one; the folder itself where there is none. */
export function repositoryRoot(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    if (findRepository(at) !== null) return at;
    if (path.dirname(at) === at) return folder;
  }
}
