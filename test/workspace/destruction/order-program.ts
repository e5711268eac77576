// Carries out one order on a workspace, so that what the process and its gits do can be watched from outside.
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import type {
  RestoreOrder,
  SnapshotOrder,
  Workspace,
  RemoveWorktreeOrder,
} from "../../../src/workspace/workspace.ts";
import type { WorktreeOrder } from "../../../src/workspace/worktree/worktree-orders.ts";
import type { CommitOrder } from "../../../src/workspace/accept/commit-orders.ts";

export type WatchedOrder =
  | { readonly what: "snapshot"; readonly order: SnapshotOrder }
  | { readonly what: "restore"; readonly order: RestoreOrder }
  | { readonly what: "createWorktree"; readonly order: WorktreeOrder }
  | { readonly what: "removeWorktree"; readonly order: RemoveWorktreeOrder }
  | { readonly what: "commit"; readonly order: CommitOrder };

const [home, text] = process.argv.slice(2);
if (home !== undefined && text !== undefined) {
  const asked = JSON.parse(text) as WatchedOrder;
  const workspace = gitWorkspace({ home, world: realWorld(crashOptionsFrom(process.env)) });
  await give(workspace, asked);
  await workspace.close();
}

function give(workspace: Workspace, asked: WatchedOrder): Promise<unknown> {
  switch (asked.what) {
    case "snapshot":
      return workspace.snapshot(asked.order);
    case "restore":
      return workspace.restore(asked.order);
    case "createWorktree":
      return workspace.createWorktree(asked.order);
    case "removeWorktree":
      return workspace.removeWorktree(asked.order);
    case "commit":
      return workspace.commit(asked.order);
  }
}
