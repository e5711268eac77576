import { rmSync } from "node:fs";
import path from "node:path";
import { bytePath, toText } from "../snapshot/byte-path.ts";
import { runGit } from "../git/run-git.ts";
import { findRepository } from "../git/user-repository.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { refuseFollowed } from "../snapshot/special-files.ts";

/** What git ignores in a tree, a folder of which nothing is in the snapshot as one. */
export async function listIgnored(
  { store, world }: SnapshotHandle,
  tree: string,
  snapshot: string,
): Promise<string[]> {
  const repository = findRepository(tree);
  const excludes = repository === null ? "/dev/null" : path.join(repository.commonDir, "info", "exclude");
  refuseFollowed(excludes);
  const index = path.join(store.folder, `index-ignored-${world.id("ignored")}`);
  const call = { gitDir: store.gitDir, index };
  try {
    await runGit({ ...call, args: ["read-tree", `${snapshot}:files`], answers: [128] });
    const { output } = await runGit({
      ...call,
      tree,
      args: [
        ...["-c", `core.excludesFile=${excludes}`],
        ...["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"],
      ],
    });
    return bytePath(output).split("\0").filter(Boolean).map(toText);
  } finally {
    rmSync(index, { force: true });
  }
}
