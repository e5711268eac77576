import { FOLD_VERSION, evolve } from "../decide/evolve.ts";
import type { Journal } from "../journal/journal.ts";
import { Fault } from "../model/fault.ts";
import { roughBytes } from "../model/rough-bytes.ts";
import type { RunState } from "../model/run-state.ts";

const PAGE_EVENTS = 250;

/** A run that was folded. */
export interface LoadedRun {
  readonly state: RunState;
  /** The event whose snapshot shortened the folding; 0 for none. */
  readonly snapshotSeq: number;
  readonly snapshotBytes: number;
  /** About how much the events since then held. */
  readonly bytesSince: number;
}

/**
 * Folds a run from its snapshot and what came after; null if there is no such run. A snapshot of another fold is
 * as good as none, and the store gives none that does not stand on the chain.
 */
export async function openRun(journal: Journal, run: string): Promise<LoadedRun | null> {
  const snapshot = await journal.loadSnapshot(run);
  const usable = snapshot !== null && snapshot.fold === FOLD_VERSION ? snapshot : null;
  let state = usable === null ? null : (JSON.parse(usable.state) as RunState);
  let bytesSince = 0;
  for (;;) {
    const events = await journal.read(run, {
      after: state?.seq ?? 0,
      limit: PAGE_EVENTS,
      leaveApart: true,
    });
    for (const event of events) {
      state = evolve(state, event, event);
      bytesSince += roughBytes(event.data);
    }
    if (events.length < PAGE_EVENTS) break;
  }
  if (state === null) return null;
  return { state, snapshotSeq: usable?.seq ?? 0, snapshotBytes: usable?.state.length ?? 0, bytesSince };
}

export const loadRun = async (journal: Journal, run: string): Promise<RunState | null> =>
  (await openRun(journal, run))?.state ?? null;

/** The same for a run that must be there. */
export async function loadKnownRun(journal: Journal, run: string): Promise<RunState> {
  const state = await loadRun(journal, run);
  if (state === null)
    throw new Fault(
      "not_found",
      `there is no run "${run}" in this store; \`holdfast runs\` lists those there are`,
    );
  return state;
}
