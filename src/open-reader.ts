import { awakeOf, type AwakeRecord } from "./agents/keep-awake.ts";
import { fullDisks } from "./agents/disk-room.ts";
import { sessionsAt, type Sessions } from "./agents/keeper/live-sessions.ts";
import { restartsIn } from "./file-death-notes.ts";
import type { ContinuousState } from "./model/continuous/continuous-state.ts";
import type { Fault } from "./model/fault.ts";
import type { SharedResourceState } from "./model/host/shared-resource.ts";
import type { Supervision } from "./model/host/supervision.ts";
import type { HostSettings } from "./model/settings/settings.ts";
import type { RunState } from "./model/state/run-state.ts";
import { openStore, type OpenedStore } from "./open-store.ts";
import { timeOfId, worldHere } from "./real-world.ts";
import { loadContinuous, openContinuous } from "./runtime/continuous/read-continuous.ts";
import { loadRun } from "./runtime/load-run.ts";
import type { Ports } from "./runtime/ports.ts";
import { damageBeside } from "./runtime/salvage-run.ts";
import { loadSharedResources } from "./runtime/shared-resources.ts";
import { lookAtSupervision } from "./runtime/supervisor/supervision.ts";
import { storeStanding, type StoreStanding } from "./runtime/supervisor/store-switch.ts";

export { fullDisks };

/** What can be learnt of a store and its runs by looking. */
export interface Looks {
  /** The run as its journal shows it; null if there is none of that name. */
  loadRun(run: string): Promise<RunState | null>;
  /** What the runs of the store share, as far as anything was reported of it. */
  loadSharedResources(): Promise<SharedResourceState[]>;
  /** Who supervises which run, by one look at the store. */
  supervision(): Promise<(run: string) => Supervision>;
  /** What of a run is damaged beside its events, so that nobody can work it; null for nothing. */
  damageOf(run: string): Promise<Fault | null>;
  /** Whether the supervisor with that pid on this host keeps the machine awake; null where it says nothing. */
  awakeOf(pid: number): AwakeRecord | null;
  /** Sessions of which something runs on this host, no matter what is recorded of them. */
  readonly sessions: Sessions;
}

/** What a command needs that only looks: a store, and nothing by which anything could be done to its runs. */
export interface Reader extends Looks {
  readonly ports: Pick<Ports, "world" | "journal" | "settings"> & {
    readonly workspace: Pick<Ports["workspace"], "compare">;
  };
  readonly store: { standing(): Promise<StoreStanding> };
  /** Sessions that begin run after run. */
  readonly continuous: {
    open(): Promise<string[]>;
    load(name: string): Promise<ContinuousState | null>;
  };
  close(): Promise<void>;
}

export const looksOn = (
  world: Ports["world"],
  { journal, sessionsFolder }: Pick<OpenedStore, "journal" | "sessionsFolder">,
  settings: HostSettings,
): Looks => ({
  loadRun: (run) => loadRun(journal, run),
  loadSharedResources: () => loadSharedResources(journal, world),
  supervision: () =>
    lookAtSupervision({
      journal,
      world,
      leaseMs: settings.lease.ms,
      drawnAt: timeOfId,
      restarts: () => restartsIn(`${sessionsFolder}-deaths`),
    }),
  damageOf: (run) => damageBeside(journal, run),
  awakeOf: (pid) => awakeOf({ world, folder: `${sessionsFolder}-awake` }, pid),
  sessions: sessionsAt(world, sessionsFolder),
});

/**
 * The looks of `openSystem` without what acts: agents, checks, channels, leases that are taken. Loading those is most of
 * what a short command would wait for.
 */
export async function openReader(store: string, settings: HostSettings): Promise<Reader> {
  const world = worldHere();
  const opened = await openStore(store, world);
  const { journal } = opened;
  return {
    ports: { world, journal, settings, workspace: comparing(world, opened) },
    store: { standing: () => storeStanding(journal) },
    continuous: {
      open: () => openContinuous(journal),
      load: (name) => loadContinuous(journal, name),
    },
    ...looksOn(world, opened, settings),
    close: () => journal.close(),
  };
}

/** Few commands compare trees, and what does is large. */
const comparing = (
  world: Ports["world"],
  { sessionsFolder }: OpenedStore,
): Pick<Ports["workspace"], "compare"> => ({
  async compare(place, from, to) {
    const { gitWorkspace } = await import("./workspace/git-workspace.ts");
    const workspace = gitWorkspace({ world, home: `${sessionsFolder}-trees` });
    try {
      return await workspace.compare(place, from, to);
    } finally {
      await workspace.close();
    }
  },
});
