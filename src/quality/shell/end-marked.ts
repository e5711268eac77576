import type { World } from "../../model/world.ts";

/** One living process. */
export interface MarkedProcess {
  readonly pid: number;
  readonly startedAt: string;
}

/** Who bears an entry in the environment, and who descends from one that does; `"unknown"` if that cannot be seen. */
export type MarkedProcesses = (entry: string) => Promise<readonly MarkedProcess[] | "unknown">;

const POLL_MS = 20;
const LIMIT_MS = 5_000;

/** Kills everything that bears the mark, and answers what is left of it in words; empty if nothing is. */
export async function endMarked(world: World, look: () => ReturnType<MarkedProcesses>): Promise<string> {
  for (let spentMs = 0; ; spentMs += POLL_MS) {
    const found = await look();
    if (found !== "unknown" && found.length === 0) return "";
    if (spentMs >= LIMIT_MS) return describe(found);
    if (found !== "unknown") for (const row of found) killIfSame(world, row);
    await pause(world, POLL_MS);
  }
}

/** A pid is reused: only the very process that was seen is killed. */
function killIfSame(world: World, { pid, startedAt }: MarkedProcess): void {
  if (world.liveness({ ...world.self, pid, startedAt }) === "alive") signalTo(pid, "SIGKILL");
}

/** To a process, or to a group by its negative number. Whether it was there is for the next look to show. */
export function signalTo(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

export const pause = (world: World, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    world.timer(delayMs, resolve);
  });

const describe = (left: readonly MarkedProcess[] | "unknown"): string =>
  left === "unknown"
    ? "the process table could not be read, so nothing is known of what is left"
    : `still there after SIGKILL: pid ${left.map((row) => row.pid).join(", ")}`;
