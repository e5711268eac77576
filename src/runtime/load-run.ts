import { FOLD_VERSION, evolve } from "../decide/evolve.ts";
import type { Journal } from "../journal/journal.ts";
import { Fault } from "../model/fault.ts";
import type { RunState } from "../model/run-state.ts";

const PAGE_EVENTS = 1_000;

/** A run that was folded, and the event whose snapshot shortened that; 0 for none. */
export interface LoadedRun {
  readonly state: RunState;
  readonly snapshotSeq: number;
}

/**
 * Folds a run from its snapshot and what came after; null if there is no such run. A snapshot of another fold is
 * as good as none, and the store gives none that does not stand on the chain.
 */
export async function openRun(journal: Journal, run: string): Promise<LoadedRun | null> {
  const snapshot = await journal.loadSnapshot(run);
  let state: RunState | null =
    snapshot !== null && snapshot.fold === FOLD_VERSION ? (JSON.parse(snapshot.state) as RunState) : null;
  const snapshotSeq = state?.seq ?? 0;
  for (;;) {
    const events = await journal.read(run, { after: state?.seq ?? 0, limit: PAGE_EVENTS });
    for (const event of events) state = evolve(state, event, event);
    if (events.length < PAGE_EVENTS) return state === null ? null : { state, snapshotSeq };
  }
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
