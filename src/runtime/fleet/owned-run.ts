import type { RunState } from "../../model/state/run-state.ts";

/** A run that is owned by this process. */
export interface OwnedRun {
  readonly run: string;
  readonly epoch: number;
  /** The sessions of its agents at work. */
  readonly sessions: readonly string[];
  /** Takes into account that they stood still; resolves when that is on disk. */
  readonly stoodStill: (forMs: number) => Promise<void>;
}

/** No duration of a run is so short that less would matter. */
const STILL_MS_MIN = 1_000;

export function ownedRun(
  { run, attempts }: Readonly<RunState>,
  epoch: number,
  record: (byMs: number) => Promise<void>,
): OwnedRun {
  const sessions = Object.values(attempts).flatMap(({ started, exit, session }) =>
    started && exit === null ? [session] : [],
  );
  const stoodStill = async (forMs: number): Promise<void> => {
    if (forMs >= STILL_MS_MIN) await record(Math.round(forMs));
  };
  return { run, epoch, sessions, stoodStill };
}
