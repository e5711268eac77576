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
import { removeWorktree } from "./worktree/remove-worktree.ts";
import { restoreTree } from "./snapshot/restore-tree.ts";
import { releaseSnapshots } from "./snapshot/retention.ts";
import { openSeal, sealRepository } from "./protect/seal-repository.ts";
import { openSlots } from "./worktree/slots.ts";
import { takeIn } from "./accept/take-in.ts";
import type { SnapshotHandle } from "./snapshot/snapshot-desk.ts";
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
  const desks = openStores(home, world, recentMax);
  return { ...lookers(desks, home), ...doers(desks, home), close: () => desks.close() };
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

function lookers(desks: OpenStores, home: string): Pick<Workspace, Lookers> {
  return {
    verify: async ({ project }, id) => verifyWhole((await desks.of(project)).store.gitDir, id),
    compare: async ({ project }, from, to) => compareSnapshots(await desks.of(project), from, to),
    countLines: async ({ project }, from, to) => countLines(await desks.of(project), from, to),
    readFile: async ({ project }, id, path) => {
      const desk = await desks.of(project);
      const known = (await listSnapshot(desk, id)).files.get(fromText(path));
      if (known === undefined) return null;
      return (await readObjects(desk.store.gitDir, [known.oid]))?.get(known.oid)?.bytes ?? null;
    },
    snapshots: async (project, tree) => {
      const { store } = await desks.of(project);
      const rows = store.db.prepare("SELECT facts FROM snapshot ORDER BY at, rowid").all();
      const all = rows.map((row) => JSON.parse(String(row["facts"])) as Snapshot);
      return tree === undefined ? all : all.filter((one) => one.tree === realPlace(tree));
    },
    worktrees: async (project) => {
      const { store } = await desks.of(project);
      const rows = store.db.prepare("SELECT answer FROM done WHERE key LIKE 'standing:%' ORDER BY key").all();
      return rows.map((row) => JSON.parse(String(row["answer"])) as Worktree);
    },
    branchCommit: async (project, branch) => branchCommit(await desks.of(project), project, branch),
    placeFor: (order) => Promise.resolve(worktreePlace(home, order)),
    head: async (tree) => readHead(realFolder(tree)),
    compareCommits: async ({ project, tree }, from, to) => {
      const { store } = await desks.of(project);
      return compareCommits(shadowRepository(store.folder, realFolder(tree)), from, to);
    },
    tryMerge: async ({ project, tree }, ours, theirs) => {
      const { store } = await desks.of(project);
      return tryMerge(shadowRepository(store.folder, realFolder(tree)), ours, theirs);
    },
  };
}

function doers(desks: OpenStores, home: string): Omit<Workspace, Lookers | "close"> {
  const slots = openSlots(home);
  return {
    snapshot: async (order) => {
      if (order.make === true && !existsSync(order.tree)) mkdirSync(realPlace(order.tree));
      return desks.held(order.project, async (desk) => {
        if (order.anew === true) forgetRecord(desk.store, order.key);
        const at = placed(order);
        const taken = await takeSnapshot(desk, at);
        await holdHead(desk, at.tree, taken);
        const stashed = order.stashApart === true ? await stashApart(desk, at) : [];
        return stashed.length === 0 ? taken : { ...taken, stashed };
      });
    },
    look: (order) => desks.held(order.project, (desk) => lookAtTree(desk, placed(order))),
    restore: (order) => desks.held(order.project, (desk) => restoreTree(desk, placed(order))),
    release: (order) => desks.held(order.project, (desk) => releaseSnapshots(desk, order)),
    createWorktree: (order) =>
      desks.held(order.project, (desk) =>
        createWorktree(desk, slots, { ...order, project: realFolder(order.project) }),
      ),
    carry: (order) => desks.held(order.project, (desk) => carryFiles(desk, placed(order))),
    mendWorktree: async (order) => {
      if (stands(order) && !isMending(await desks.of(order.project), order.tree)) return null;
      return desks.held(order.project, (desk) => mendWorktree(desk, order));
    },
    removeWorktree: (order) =>
      desks.held(order.project, (desk) => removeWorktree(desk, slots, placed(order))),
    dropBranch: (order) => desks.held(order.project, (desk) => dropBranch(desk, order)),
    overlaps: (order) => desks.held(order.project, (desk) => findOverlaps(desk, placed(order))),
    commit: (order) => desks.held(order.project, (desk) => commitFiles(desk, placed(order))),
    takeIn: (order) =>
      desks.held(order.project, (desk) =>
        takeIn(desk, {
          ...order,
          project: realFolder(order.project),
          ...(order.tree === undefined ? {} : { tree: realPlace(order.tree) }),
        }),
      ),
    beginMerge: (order) => desks.held(order.project, (desk) => beginMerge(desk, placed(order))),
    copyTree: (order) => desks.held(order.project, (desk) => copyTree(desk, home, placed(order))),
    propose: (order) =>
      desks.held(order.project, (desk) => propose(desk, { ...order, project: realFolder(order.project) })),
    applyProposal: (order) => desks.held(order.project, (desk) => applyProposal(desk, placed(order))),
    seal: (order) => desks.held(order.project, (desk) => sealRepository(desk, placed(order))),
    openSeal: (order) => desks.held(order.project, (desk) => openSeal(desk, placed(order))),
    dropCopy: ({ project, tree }) =>
      desks.held(project, (desk) => Promise.resolve(dropCopy(desk, home, tree))),
    push: async (project, id, remote) => pushSnapshot(await desks.of(project), id, remote),
    fetch: (project, id, remote) => desks.held(project, (desk) => fetchSnapshot(desk, id, remote)),
  };
}
