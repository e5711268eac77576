import type { World } from "../model/world.ts";
import { beginMerge } from "./begin-merge.ts";
import { fromText } from "./byte-path.ts";
import { commitFiles } from "./commit-files.ts";
import { compareCommits, tryMerge } from "./compare-commits.ts";
import { compareSnapshots } from "./compare-snapshots.ts";
import { createWorktree } from "./create-worktree.ts";
import { openDesks, type Desks } from "./desks.ts";
import { RECENT_MAX } from "./index-flush.ts";
import { listSnapshot } from "./list-snapshot.ts";
import { forgetRecord, lookAtTree } from "./look-at-tree.ts";
import { isMending, mendWorktree, stands } from "./mend-worktree.ts";
import { findOverlaps } from "./overlaps.ts";
import { realFolder, realPlace } from "./project-store.ts";
import { applyProposal, copyTree, dropCopy, propose } from "./proposals.ts";
import { readObjects } from "./read-objects.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { restoreTree } from "./restore-tree.ts";
import { releaseSnapshots } from "./retention.ts";
import { openSeal, sealRepository } from "./seal-repository.ts";
import { fetchSnapshot, pushSnapshot } from "./shared-remote.ts";
import { openSlots } from "./slots.ts";
import { takeIn } from "./take-in.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { readHead } from "./user-repository.ts";
import { veilRepository } from "./veiled-repository.ts";
import { verifyWhole } from "./verify-snapshot.ts";
import { worktreePlace } from "./worktree-place.ts";
import type { Place, Snapshot, Workspace } from "./workspace.ts";
import type { Worktree } from "./worktree-orders.ts";

export interface GitWorkspaceOptions {
  /** Where the stores stand, one folder per project. */
  readonly home: string;
  readonly world: World;
  /** How many files are compared with the disk here before git's index takes them over. */
  readonly recentMax?: number;
}

/** Trees of files, kept by git in stores of Holdfast's own. */
export function gitWorkspace({ home, world, recentMax = RECENT_MAX }: GitWorkspaceOptions): Workspace {
  const desks = openDesks(home, world, recentMax);
  return { ...lookers(desks, home), ...doers(desks, home), close: () => desks.close() };
}

const placed = <Order extends Place>(order: Order): Order => ({
  ...order,
  project: realFolder(order.project),
  tree: realPlace(order.tree),
});

type Lookers =
  | "verify"
  | "compare"
  | "readFile"
  | "snapshots"
  | "worktrees"
  | "head"
  | "placeFor"
  | "compareCommits"
  | "tryMerge";

function lookers(desks: Desks, home: string): Pick<Workspace, Lookers> {
  return {
    verify: async ({ project }, id) => verifyWhole((await desks.of(project)).store.gitDir, id),
    compare: async ({ project }, from, to) => compareSnapshots(await desks.of(project), from, to),
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
    placeFor: (order) => Promise.resolve(worktreePlace(home, order)),
    head: async (tree) => readHead(realFolder(tree)),
    compareCommits: async ({ project, tree }, from, to) => {
      const { store } = await desks.of(project);
      return compareCommits(veilRepository(store.folder, realFolder(tree)), from, to);
    },
    tryMerge: async ({ project, tree }, ours, theirs) => {
      const { store } = await desks.of(project);
      return tryMerge(veilRepository(store.folder, realFolder(tree)), ours, theirs);
    },
  };
}

function doers(desks: Desks, home: string): Omit<Workspace, Lookers | "close"> {
  const slots = openSlots(home);
  return {
    snapshot: (order) =>
      desks.held(order.project, (desk) => {
        if (order.anew === true) forgetRecord(desk.store, order.key);
        return takeSnapshot(desk, placed(order));
      }),
    look: (order) => desks.held(order.project, (desk) => lookAtTree(desk, placed(order))),
    restore: (order) => desks.held(order.project, (desk) => restoreTree(desk, placed(order))),
    release: (order) => desks.held(order.project, (desk) => releaseSnapshots(desk, order)),
    createWorktree: (order) =>
      desks.held(order.project, (desk) =>
        createWorktree(desk, slots, { ...order, project: realFolder(order.project) }),
      ),
    mendWorktree: async (order) => {
      if (stands(order) && !isMending(await desks.of(order.project), order.tree)) return null;
      return desks.held(order.project, (desk) => mendWorktree(desk, order));
    },
    removeWorktree: (order) =>
      desks.held(order.project, (desk) => removeWorktree(desk, slots, placed(order))),
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
