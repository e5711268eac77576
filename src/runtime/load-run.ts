import { FOLD_VERSION, evolve } from "../decide/evolve.ts";
import type { Journal } from "../journal/journal.ts";
import { Fault } from "../model/fault.ts";
import type { RunState } from "../model/run-state.ts";

const PAGE_EVENTS = 1_000;

/** Folds a run from its newest snapshot and what came after; null if there is no such run. */
export async function loadRun(journal: Journal, run: string): Promise<RunState | null> {
  const snapshot = await journal.loadSnapshot(run);
  let state: RunState | null =
    snapshot !== null && snapshot.fold === FOLD_VERSION ? (JSON.parse(snapshot.state) as RunState) : null;
  for (;;) {
    const events = await journal.read(run, { after: state?.seq ?? 0, limit: PAGE_EVENTS });
    for (const event of events) state = evolve(state, event, event);
    if (events.length < PAGE_EVENTS) return state;
  }
}

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
