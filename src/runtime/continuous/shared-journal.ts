import type { Journal } from "../../journal/journal.ts";
import type { Recorded } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import type { Leases } from "../leases.ts";
import { pause, type Ports } from "../ports.ts";

const PAGE_EVENTS = 250;
const TRIES_MAX = 200;
const BUSY_WAIT_MS = 50;

/** One that is not over: it may start something, or runs of it are followed. */
export const OPEN_STATUSES: readonly RunStatus[] = ["queued", "running", "paused", "blocked"];

/** Folds a journal that is no run's, from a copy that may lag behind; the copy stays as it is. */
export async function foldShared<State extends { readonly seq: number }>(
  journal: Pick<Journal, "read">,
  { address, from }: { readonly address: string; readonly from: State },
  evolve: (state: State, event: Recorded) => void,
): Promise<State> {
  const state = structuredClone(from);
  for (;;) {
    const events = await journal.read(address, { after: state.seq, limit: PAGE_EVENTS });
    for (const event of events) evolve(state, event);
    if (events.length < PAGE_EVENTS) return state;
  }
}

/** The names of all journals of a kind, newest first, or of those in one of the statuses. */
export async function listShared(
  journal: Pick<Journal, "runs">,
  nameOf: (address: string) => string | null,
  statuses?: readonly RunStatus[],
): Promise<string[]> {
  const listed = await journal.runs({
    shared: true,
    onDamaged: () => undefined,
    ...(statuses === undefined ? {} : { statuses }),
  });
  return listed.flatMap(({ run }) => nameOf(run) ?? []);
}

/** Tries under the lease of a journal until there is an answer: waits for another holder, and for another writer that was first. */
export async function underLease<Answer>(
  { world }: Pick<Ports, "world">,
  { leases, address, what }: { readonly leases: Leases; readonly address: string; readonly what: string },
  work: (epoch: number) => Promise<Answer | null>,
): Promise<Answer> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const taken = await leases.take(address);
    if (taken.kind === "taken") {
      try {
        const answer = await work(taken.epoch);
        if (answer !== null) return answer;
      } finally {
        await leases.release(address, taken.epoch);
      }
    }
    await pause(world, BUSY_WAIT_MS);
  }
  throw new Fault("store_busy", `another process holds the journal of ${what}; try again`);
}
