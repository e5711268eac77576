import path from "node:path";
import type { System } from "../../main.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isUnverified } from "../../views/status/status-gates.ts";
import { statusView } from "../../views/status/status.ts";

type Listing = Awaited<ReturnType<System["ports"]["journal"]["runs"]>>[number];

/** What a list shows of a run beyond its listing; nulls where the run was not, or could not be, read. */
export interface RunDetails {
  /** The folder of the user's repository. */
  readonly repository: string | null;
  readonly agents: readonly string[];
  readonly step: string | null;
  readonly usd: number | null;
  readonly blockedBy: string | null;
  /** What it waits for: a person, a limit, a host; null where it works, or has ended. */
  readonly waitsFor: string | null;
  /** When it goes on by itself, where that is known. */
  readonly until: string | null;
  /** It is completed on its agents' word alone; null where the run was not read. */
  readonly isUnverified: boolean | null;
}

const UNKNOWN: RunDetails = {
  repository: null,
  agents: [],
  step: null,
  usd: null,
  blockedBy: null,
  waitsFor: null,
  until: null,
  isUnverified: null,
};
/** Older runs are listed without it: each has to be read. */
const READ_MAX = 500;

/** Of the newest runs, in the order given. */
export async function runDetails(system: System, listings: readonly Listing[]): Promise<RunDetails[]> {
  const details: RunDetails[] = [];
  const now = system.ports.world.now();
  for (const [at, { run }] of listings.entries()) {
    // One that is damaged is listed as such; it hides no other.
    const state = at < READ_MAX ? await system.loadRun(run).catch(() => null) : null;
    details.push(state === null ? UNKNOWN : detailsOf(state, now));
  }
  return details;
}

function detailsOf(state: RunState, now: number): RunDetails {
  const { steps, workspace, cwd, kind, spent, blocked, status } = state;
  const { step, health, reality } = statusView(state, null, now);
  const asksPerson = blocked !== null || (status === "paused" && health.until === undefined);
  return {
    repository: kind === "supervised" ? (workspace.worktree?.project ?? cwd) : null,
    agents: [...new Set(Object.values(steps).map(({ spec }) => spec.agent))],
    step,
    usd: spent.usd,
    blockedBy: blocked?.reason ?? null,
    waitsFor: health.waitsFor ?? (asksPerson ? "person" : null),
    until: health.until ?? null,
    isUnverified: isUnverified({ status, reality }),
  };
}

/** Whether a run worked in the folder or below it. */
export const isWithin = (repository: string | null, folder: string): boolean =>
  repository !== null && !path.relative(folder, repository).startsWith("..");
