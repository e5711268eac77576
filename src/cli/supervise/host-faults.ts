import path from "node:path";
import type { System } from "../../main.ts";
import type { FullDisk } from "../../model/host/host-fault.ts";
import type { ClockJump } from "../../model/host/clock.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { RUN_STATUSES, isEnded } from "../../model/state/run-status.ts";
import { fullDiskView, type FullDiskView } from "../../views/status/full-disk-status.ts";
import { hostFaultsOf, type HostFaultView } from "../../views/status/status-host.ts";
import type { Invocation } from "../shell/invocation.ts";

/** So many open runs are looked at. */
const RUNS_MAX = 200;

/** The disks of the store and of the state folder that are full. */
export async function fullDisksOf({ stateFolder, store }: Invocation): Promise<FullDisk[]> {
  const { fullDisks } = await import("../../open-reader.ts");
  return fullDisks([stateFolder, ...(store.file === null ? [] : [path.dirname(store.file)])]);
}

/** That no run of the store can record anything; null where there is room. */
export const fullDiskOf = async (call: Invocation): Promise<FullDiskView | null> =>
  fullDiskView(await fullDisksOf(call), call.store.named);

/** How far back a jump of the clock may explain times that do not fit. */
const JUMPS_MS = 24 * 3_600_000;

export interface RunJump extends ClockJump {
  readonly at: number;
  readonly run: string;
}

/** Jumps of the clock that open runs have noticed within a day, the last one first. */
export async function clockJumpsOfRuns(system: System): Promise<RunJump[]> {
  const now = system.ports.world.now();
  const found: RunJump[] = [];
  for (const [run, state] of await openRuns(system))
    if (state.clockJumped !== null && now - state.clockJumped.at < JUMPS_MS)
      found.push({ ...state.clockJumped, run });
  return found.sort((a, b) => b.at - a.at);
}

/** Runs that have not ended; those whose journal cannot be read are shown elsewhere. */
export async function openRuns(system: System): Promise<[run: string, state: RunState][]> {
  const open = RUN_STATUSES.filter((status) => !isEnded(status));
  const listed = await system.ports.journal.runs({ statuses: open });
  const found: [string, RunState][] = [];
  for (const { run } of listed.slice(0, RUNS_MAX)) {
    const state = await system.loadRun(run).catch(() => null);
    if (state !== null) found.push([run, state]);
  }
  return found;
}

/** What effects of open runs wait for, newest run first. */
export async function hostFaultsOfRuns(
  system: System,
  store: string | null,
): Promise<(HostFaultView & { readonly run: string })[]> {
  return (await openRuns(system)).flatMap(([run, state]) =>
    hostFaultsOf(state, store).map((fault) => ({ ...fault, run })),
  );
}
