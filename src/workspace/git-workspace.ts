import { existsSync, mkdirSync } from "node:fs";
import type { World } from "../model/world.ts";
import { recordedAnswer } from "./accept/commit-orders.ts";
import { beginMerge } from "./accept/begin-merge.ts";
import { fromText } from "./snapshot/byte-path.ts";
import { carryFiles } from "./worktree/carry-files.ts";
import { commitFiles } from "./accept/commit-files.ts";
import { compareCommits, tryMerge } from "./accept/compare-commits.ts";
import { compareSnapshots } from "./snapshot/compare-snapshots.ts";
import { countLines } from "./count-lines.ts";
import { createWorktree } from "./worktree/create-worktree.ts";
import { fetchSnapshot, openStores, type OpenStores, pushSnapshot } from "./snapshot/recover-records.ts";
import { RECENT_MAX } from "./git/index-flush.ts";
import { listSnapshot } from "./snapshot/list-snapshot.ts";
import { forgetRecord, lookAtTree } from "./accept/look-at-tree.ts";
import { isMending, mendWorktree, stands } from "./worktree/mend-worktree.ts";
import { branchCommit, dropBranch, isLinkedTree, keepSeen, stashApart } from "./worktree/work-ref.ts";
import { findOverlaps } from "./accept/overlaps.ts";
import { realFolder, realPlace } from "./snapshot/project-store.ts";
import { applyProposal, copyTree, dropCopy, propose } from "./accept/proposals.ts";
import { readObjects } from "./snapshot/read-objects.ts";
import type { Rehearsing } from "./accept/rehearse-orders.ts";
import { layBranch, patchBetween, rehearse } from "./accept/rehearse.ts";
import { removeWorktree } from "./worktree/remove-worktree.ts";
import { downloadFiles } from "./remote/download-files.ts";
import { uploadFiles } from "./remote/upload-files.ts";
import { restoreTree } from "./snapshot/restore-tree.ts";
import { releaseSnapshots } from "./snapshot/retention.ts";
import { openSeal, sealRepository } from "./protect/seal-repository.ts";
import { openSlots } from "./worktree/slots.ts";
import { takeIn } from "./accept/take-in.ts";
import type { SnapshotHandle } from "./snapshot/snapshot-handle.ts";
import { takeSnapshot } from "./snapshot/take-snapshot.ts";
import { readHead } from "./git/user-repository.ts";
import { shadowRepository } from "./git/shadow-repository.ts";
import { verifyWhole } from "./snapshot/verify-snapshot.ts";
import { type Worktree, worktreePlace } from "./worktree/worktree-orders.ts";
import type { Place, Snapshot, Workspace } from "./workspace.ts";

export interface GitWorkspaceOptions {
  /** Where the stores stand, one folder per project. */
  readonly home: string;
  readonly world: World;
  /** How many files are compared with the disk here before git's index takes them over. */
  readonly recentMax?: number;
}

/** Trees of files, kept by git in stores of Holdfast's own. */
export function gitWorkspace({ home, world, recentMax = RECENT_MAX }: GitWorkspaceOptions): Workspace {
  const handles = openStores(home, world, recentMax);
  return {
    ...lookers(handles, home),
    ...rehearsers(handles),
    ...doers(handles, home),
    close: () => handles.close(),
  };
}

/** What an agent has committed itself by the time of a snapshot is lost no more, wherever its branch goes. */
async function holdHead({ store }: SnapshotHandle, tree: string, { head }: Snapshot): Promise<void> {
  const branch = recordedAnswer<Worktree>(store, "standing", tree)?.branch;
  if (branch === undefined || head.kind !== "git" || head.branch !== branch || head.commit === null) return;
  const repository = shadowRepository(store.folder, tree);
  if (isLinkedTree(repository)) await keepSeen(repository, branch, head.commit);
}

const placed = <Order extends Place>(order: Order): Order => ({
  ...order,
  project: realFolder(order.project),
  tree: realPlace(order.tree),
});

type Lookers =
  | "verify"
  | "compare"
  | "countLines"
  | "readFile"
  | "snapshots"
  | "worktrees"
  | "head"
  | "placeFor"
  | "compareCommits"
  | "tryMerge"
  | "branchCommit";

function lookers(handles: OpenStores, home: string): Pick<Workspace, Lookers> {
  return {
    verify: async ({ project }, id) => verifyWhole((await handles.of(project)).store.gitDir, id),
    compare: async ({ project }, from, to) => compareSnapshots(await handles.of(project), from, to),
    countLines: async ({ project }, from, to) => countLines(await handles.of(project), from, to),
    readFile: async ({ project }, id, path) => {
      const handle = await handles.of(project);
      const known = (await listSnapshot(handle, id)).files.get(fromText(path));
      if (known === undefined) return null;
      return (await readObjects(handle.store.gitDir, [known.oid]))?.get(known.oid)?.bytes ?? null;
    },
    snapshots: async (project, tree) => {
      const { store } = await handles.of(project);
      const rows = store.db.prepare("SELECT facts FROM snapshot ORDER BY at, rowid").all();
      const all = rows.map((row) => JSON.parse(String(row["facts"])) as Snapshot);
      return tree === undefined ? all : all.filter((one) => one.tree === realPlace(tree));
    },
    worktrees: async (project) => {
      const { store } = await handles.of(project);
      const rows = store.db.prepare("SELECT answer FROM done WHERE key LIKE 'standing:%' ORDER BY key").all();
      return rows.map((row) => JSON.parse(String(row["answer"])) as Worktree);
    },
    branchCommit: async (project, branch) => branchCommit(await handles.of(project), project, branch),
    placeFor: (order) => Promise.resolve(worktreePlace(home, order)),
    head: async (tree) => readHead(realFolder(tree)),
    compareCommits: async ({ project, tree }, from, to) => {
      const { store } = await handles.of(project);
      return compareCommits(shadowRepository(store.folder, realFolder(tree)), from, to);
    },
    tryMerge: async ({ project, tree }, ours, theirs) => {
      const { store } = await handles.of(project);
      return tryMerge(shadowRepository(store.folder, realFolder(tree)), ours, theirs);
    },
  };
}

const rehearsers = (handles: OpenStores): Rehearsing => ({
  rehearse: (order) =>
    handles.held(order.project, (handle) =>
      rehearse(handle, { ...order, project: realFolder(order.project) }),
    ),
  layBranch: (order) =>
    handles.held(order.project, (handle) =>
      layBranch(handle, { ...order, project: realFolder(order.project) }),
    ),
  patch: async (project, from, to) =>
    patchBetween(await handles.of(project), realFolder(project), { from, to }),
});

function doers(handles: OpenStores, home: string): Omit<Workspace, Lookers | keyof Rehearsing | "close"> {
  const slots = openSlots(home);
  return {
    snapshot: async (order) => {
      if (order.make === true && !existsSync(order.tree)) mkdirSync(realPlace(order.tree));
      return handles.held(order.project, async (handle) => {
        if (order.again === true) forgetRecord(handle.store, order.key);
        const at = placed(order);
        const taken = await takeSnapshot(handle, at);
        await holdHead(handle, at.tree, taken);
        const stashed = order.stashApart === true ? await stashApart(handle, at) : [];
        return stashed.length === 0 ? taken : { ...taken, stashed };
      });
    },
    look: (order) => handles.held(order.project, (handle) => lookAtTree(handle, placed(order))),
    restore: (order) => handles.held(order.project, (handle) => restoreTree(handle, placed(order))),
    release: (order) => handles.held(order.project, (handle) => releaseSnapshots(handle, order)),
    createWorktree: (order) =>
      handles.held(order.project, (handle) =>
        createWorktree(handle, slots, { ...order, project: realFolder(order.project) }),
      ),
    carry: (order) => handles.held(order.project, (handle) => carryFiles(handle, placed(order))),
    mendWorktree: async (order) => {
      if (stands(order) && !isMending(await handles.of(order.project), order.tree)) return null;
      return handles.held(order.project, (handle) => mendWorktree(handle, order));
    },
    removeWorktree: (order) =>
      handles.held(order.project, (handle) => removeWorktree(handle, slots, placed(order))),
    dropBranch: (order) => handles.held(order.project, (handle) => dropBranch(handle, order)),
    overlaps: (order) => handles.held(order.project, (handle) => findOverlaps(handle, placed(order))),
    commit: (order) => handles.held(order.project, (handle) => commitFiles(handle, placed(order))),
    takeIn: (order) =>
      handles.held(order.project, (handle) =>
        takeIn(handle, {
          ...order,
          project: realFolder(order.project),
          ...(order.tree === undefined ? {} : { tree: realPlace(order.tree) }),
        }),
      ),
    beginMerge: (order) => handles.held(order.project, (handle) => beginMerge(handle, placed(order))),
    copyTree: (order) => handles.held(order.project, (handle) => copyTree(handle, home, placed(order))),
    propose: (order) =>
      handles.held(order.project, (handle) =>
        propose(handle, { ...order, project: realFolder(order.project) }),
      ),
    applyProposal: (order) => handles.held(order.project, (handle) => applyProposal(handle, placed(order))),
    seal: (order) => handles.held(order.project, (handle) => sealRepository(handle, placed(order))),
    openSeal: (order) => handles.held(order.project, (handle) => openSeal(handle, placed(order))),
    dropCopy: ({ project, tree }) =>
      handles.held(project, (handle) => Promise.resolve(dropCopy(handle, home, tree))),
    upload: (order) => uploadFiles(handles, placed(order)),
    download: (order) =>
      downloadFiles(handles, { home, slots }, { ...order, project: realFolder(order.project) }),
    push: async (project, id, remote) => pushSnapshot(await handles.of(project), id, remote),
    fetch: (project, id, remote) => handles.held(project, (handle) => fetchSnapshot(handle, id, remote)),
  };
}
