import type { Journal, RunListing } from "../../../journal/journal.ts";
import { daysOf } from "../../../views/pages/cost-days.ts";
import { endOf, type End } from "../../../views/pages/overview.ts";
import { isUnverified, realityView } from "../../../views/status/status-gates.ts";
import type { DayUsed } from "../../../model/host/store-resource.ts";
import type { RunState } from "../../../model/state/run-state.ts";
import type { Operations } from "../handler-context.ts";

/** The little of a run that pages over all runs add up. */
export interface RunFacts {
  readonly seq: number;
  readonly days: readonly DayUsed[];
  readonly end: End;
}

const KNOWN_MAX = 20_000;
/** So many runs are read for one answer; what is known already is not read again. */
export const READ_MAX = 2_000;

/** By store: a run is read again only after something was appended to it. */
const known = new WeakMap<Journal, Map<string, RunFacts>>();

/** Facts of these runs, by run; those that cannot be read, and those past the bound, are left out. */
export async function runFacts(
  { journal, loadRun }: Pick<Operations, "journal" | "loadRun">,
  listings: readonly RunListing[],
): Promise<Map<string, RunFacts>> {
  const cache = known.get(journal) ?? new Map<string, RunFacts>();
  known.set(journal, cache);
  const found = new Map<string, RunFacts>();
  let reads = 0;
  for (const { run, seq } of listings) {
    const before = cache.get(run);
    if (before?.seq === seq) {
      found.set(run, before);
      continue;
    }
    if (reads >= READ_MAX) continue;
    reads += 1;
    // One that is damaged hides no other.
    const state = await loadRun(run).catch(() => null);
    if (state === null) continue;
    const facts = factsOf(state);
    found.set(run, facts);
    cache.delete(run);
    cache.set(run, facts);
  }
  for (const run of cache.keys()) {
    if (cache.size <= KNOWN_MAX) break;
    cache.delete(run);
  }
  return found;
}

function factsOf(state: RunState): RunFacts {
  const isBare = isUnverified({ status: state.status, reality: realityView(state) });
  return { seq: state.seq, days: daysOf(state), end: isBare ? "unverified" : endOf(state.status) };
}
