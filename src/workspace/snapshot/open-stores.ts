import type { World } from "../../model/world.ts";
import { openProjectStore, realFolder } from "./project-store.ts";
import { recoverRecords } from "./recover-records.ts";
import { settleTakeIns } from "../accept/settle-take-in.ts";
import type { SnapshotHandle } from "./snapshot-desk.ts";

/** The open stores of one process, each opened when it is first asked for. */
export interface OpenStores {
  of(project: string): Promise<SnapshotHandle>;
  /** While nobody else works on the project. */
  held<T>(project: string, act: (desk: SnapshotHandle) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function openStores(home: string, world: World, recentMax: number): OpenStores {
  const desks = new Map<string, Promise<SnapshotHandle>>();
  const open = async (project: string): Promise<SnapshotHandle> => {
    const store = await openProjectStore(home, project, world);
    const desk = { store, world, recentMax, memories: new Map(), listings: new Map() };
    await store.exclusively(async () => {
      await recoverRecords(store);
      await settleTakeIns(desk, project);
    });
    return desk;
  };
  const of = (project: string): Promise<SnapshotHandle> => {
    const real = realFolder(project);
    const desk = desks.get(real) ?? open(real);
    desks.set(real, desk);
    desk.catch(() => desks.delete(real));
    return desk;
  };
  return {
    of,
    held: async (project, act) => {
      const desk = await of(project);
      return desk.store.exclusively(() => act(desk));
    },
    close: async () => {
      for (const desk of desks.values()) (await desk).store.close();
      desks.clear();
    },
  };
}
