import type { RunEvent } from "../../model/events/events.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import type { EventPlace } from "../../decide/continuous/enter-event.ts";
import type { Journal } from "../../journal/journal.ts";

/** What is appended, under the epoch of the lease that is held for it. */
export interface SharedWrite {
  readonly events: readonly RunEvent[];
  readonly epoch: number;
  readonly at: number;
}

interface SharedParts<State> {
  readonly address: string;
  readonly evolve: (state: State, event: RunEvent, place: EventPlace) => void;
  readonly listing: (after: State) => {
    readonly status: RunStatus;
    readonly goal: string;
    readonly dueAt: number;
  };
  /** Crash points around the append. */
  readonly before: () => void;
  readonly after: () => void;
}

/**
 * One append to a journal that is no run's, under a lease that is held for it. Answers the state after it; null where
 * another process wrote at the same moment: then nothing was written.
 */
export async function writeShared<State extends { readonly seq: number }>(
  journal: Pick<Journal, "append">,
  from: State,
  { address, evolve, listing, before, after, ...write }: SharedParts<State> & SharedWrite,
): Promise<State | null> {
  const { events, epoch, at } = write;
  const state = structuredClone(from);
  for (const event of events) evolve(state, event, { seq: state.seq + 1, at });
  const { status, goal, dueAt } = listing(state);
  const wakeAt = dueAt === Infinity ? null : Math.ceil(dueAt);
  before();
  const outcome = await journal.append({
    run: address,
    expected: from.seq,
    epoch,
    at,
    events,
    listing: { status, goal, wakeAt },
  });
  after();
  return outcome.kind === "appended" ? state : null;
}
