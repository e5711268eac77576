import type { World } from "../model/world.ts";
import { fromText } from "./byte-path.ts";
import { compareSnapshots } from "./compare-snapshots.ts";
import { RECENT_MAX } from "./index-flush.ts";
import { listSnapshot } from "./list-snapshot.ts";
import { openProjectStore, realFolder } from "./project-store.ts";
import { readObjects } from "./read-objects.ts";
import { restoreTree } from "./restore-tree.ts";
import { takeSnapshot, type SnapshotDesk } from "./take-snapshot.ts";
import { readHead } from "./user-repository.ts";
import { verifyWhole } from "./verify-snapshot.ts";
import type { Place, Snapshot, Workspace } from "./workspace.ts";

export interface GitWorkspaceOptions {
  /** Where the stores stand, one folder per project. */
  readonly home: string;
  readonly world: World;
  /** How many files are compared with the disk here before git's index takes them over. */
  readonly recentMax?: number;
}

/** Trees of files, kept by git in stores of Holdfast's own. */
export function gitWorkspace({
  home,
  world,
  recentMax = RECENT_MAX,
}: GitWorkspaceOptions): Omit<
  Workspace,
  "release" | "createWorktree" | "removeWorktree" | "worktrees" | "commit"
> {
  const desks = new Map<string, Promise<SnapshotDesk>>();
  const deskOf = (project: string): Promise<SnapshotDesk> => {
    const real = realFolder(project);
    const open = async (): Promise<SnapshotDesk> => {
      const store = await openProjectStore(home, real, world);
      return { store, world, recentMax, memories: new Map(), listings: new Map() };
    };
    const desk = desks.get(real) ?? open();
    desks.set(real, desk);
    desk.catch(() => desks.delete(real));
    return desk;
  };
  const held = async <Order extends Place, Answer>(
    order: Order,
    act: (desk: SnapshotDesk, order: Order) => Promise<Answer>,
  ): Promise<Answer> => {
    const desk = await deskOf(order.project);
    const place = { ...order, project: realFolder(order.project), tree: realFolder(order.tree) };
    return desk.store.exclusively(() => act(desk, place));
  };
  return {
    snapshot: (order) => held(order, takeSnapshot),
    restore: (order) => held(order, restoreTree),
    verify: async (place, id) => verifyWhole((await deskOf(place.project)).store.gitDir, id),
    compare: async (place, from, to) => compareSnapshots(await deskOf(place.project), from, to),
    readFile: async (place, id, path) => {
      const desk = await deskOf(place.project);
      const known = (await listSnapshot(desk, id)).files.get(fromText(path));
      if (known === undefined) return null;
      return (await readObjects(desk.store.gitDir, [known.oid]))?.get(known.oid)?.bytes ?? null;
    },
    snapshots: async (project, tree) => {
      const { store } = await deskOf(project);
      const rows = store.db.prepare("SELECT facts FROM snapshot ORDER BY at, rowid").all();
      const all = rows.map((row) => JSON.parse(String(row["facts"])) as Snapshot);
      const wanted = tree === undefined ? null : realFolder(tree);
      return wanted === null ? all : all.filter((one) => one.tree === wanted);
    },
    head: async (tree) => readHead(realFolder(tree)),
    close: async () => {
      for (const desk of desks.values()) (await desk).store.close();
      desks.clear();
    },
  };
}
