import path from "node:path";
import type { System } from "../main.ts";
import type { FullDisk } from "../model/host-fault.ts";
import { RUN_STATUSES, isEnded } from "../model/run-status.ts";
import { hostFaultsOf, type HostFaultView } from "../views/status-host.ts";
import type { Invocation } from "./invocation.ts";

/** So many open runs are looked at. */
const RUNS_MAX = 200;

/** The disks of the store and of the state folder that are full. */
export async function fullDisksOf({ stateFolder, store }: Invocation): Promise<FullDisk[]> {
  const { fullDisks } = await import("../main.ts");
  return fullDisks([stateFolder, ...(store.file === null ? [] : [path.dirname(store.file)])]);
}

/** What effects of open runs wait for, newest run first. */
export async function hostFaultsOfRuns(
  system: System,
  store: string | null,
): Promise<(HostFaultView & { readonly run: string })[]> {
  const open = RUN_STATUSES.filter((status) => !isEnded(status));
  const listed = await system.rooms.journal.runs({ statuses: open });
  const found: (HostFaultView & { readonly run: string })[] = [];
  for (const { run } of listed.slice(0, RUNS_MAX)) {
    const state = await system.loadRun(run).catch(() => null);
    if (state !== null) found.push(...hostFaultsOf(state, store).map((fault) => ({ ...fault, run })));
  }
  return found;
}
