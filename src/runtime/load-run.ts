import { evolve } from "../fold/evolve.ts";
import { FOLD_VERSION } from "../fold/fold-version.ts";
import { readSnapshot } from "../fold/read-snapshot.ts";
import type { Journal } from "../journal/journal.ts";
import type { EventData } from "../model/events/events.ts";
import { Fault } from "../model/fault.ts";
import type { RunState } from "../model/state/run-state.ts";
import { roughBytes } from "../model/values/rough-bytes.ts";

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
 * Folds a run from its snapshot and what came after; null if there is no such run. A snapshot that this fold did
 * not make, or that has not the form of a state, is as good as none, and the store gives none that does not stand on the chain.
 */
export async function openRun(journal: Journal, run: string): Promise<LoadedRun | null> {
  const snapshot = await journal.loadSnapshot(run, FOLD_VERSION);
  let state = snapshot === null ? null : readSnapshot(run, snapshot);
  const usable = state === null ? null : snapshot;
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

/** Why an owner let go. */
export type OwnerEnd =
  /** Nothing will happen by itself any more. */
  | { readonly kind: "at_rest" }
  /** It was asked to stop; the run goes on with the next owner. */
  | { readonly kind: "let_go" }
  /** Somebody else owns the run. */
  | { readonly kind: "fenced" }
  /** Somebody wrote under our lease, or an answer was lost: fold again. */
  | { readonly kind: "reload" };

/** A run that was claimed and folded. */
export interface Claimed extends LoadedRun {
  readonly epoch: number;
  readonly from: EventData<"RunClaimed">["from"];
  readonly owner: string;
  /** Its files are on another host, which is gone: nothing of it is touched here. */
  readonly away?: boolean;
  /** Called once if people's files of this run cannot be kept up to date. */
  readonly onMirrorFault?: (text: string) => void;
}
