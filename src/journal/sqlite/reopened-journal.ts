import { asFault, isFault, type Fault } from "../../model/fault.ts";
import type { ClaimOutcome, Journal, Lease, Owner } from "../journal.ts";

/** One connection to the store, until the disk has no room for it. */
export interface Connected {
  readonly journal: Journal;
  /** Why nothing more may be tried on this connection until there is room; null where it may. */
  readonly outOfRoom: () => Fault | null;
  /** Closes it at once; nothing that was asked of it is under way any more. May be called again. */
  readonly abandon: () => void;
}

export interface Reopening {
  readonly first: Connected;
  /** Opens the store again, once there is room for it; throws what keeps it from being opened. */
  readonly reopen: () => Connected;
}

interface Lost {
  readonly address: string;
  readonly owner: Owner;
}

/**
 * A journal whose store is opened again by itself after its disk had no room for it.
 *
 * States: connected → out of room (its disk refused; nothing more is tried on that connection) → connected …; closed.
 * On disk while it is out of room: all that was acknowledged, and perhaps changes whose answer was the fault. The one
 * that asked looks again, as after any lost answer; a claim alone would look as if another held the lease, and is let
 * go.
 *
 * 1. Nothing is acknowledged between the refusal and the reopening.
 * 2. A call never waits here: without room it is refused as `store_full`, and the caller chooses when to ask again.
 * 3. Watchers are notified of changes across a reopening, and of the reopening itself.
 */
export function reopenedJournal({ first, reopen }: Reopening): Journal {
  let at = first;
  let closing: Promise<void> | null = null;
  const watchers = watchersOf();
  const claims = claimsOf();

  const current = (): Journal => {
    if (closing !== null || at.outOfRoom() === null) return at.journal;
    at.abandon();
    at = reopen();
    watchers.moveTo(at.journal);
    claims.letGoLost(at.journal);
    return at.journal;
  };
  /** No detour where all is well: the promise given back is the connection's own. */
  const on = <T>(work: (journal: Journal) => Promise<T>): Promise<T> => {
    try {
      return work(current());
    } catch (fault) {
      return Promise.reject(asFault(fault));
    }
  };
  const claim = (lost: Lost, work: (journal: Journal) => Promise<ClaimOutcome>): Promise<ClaimOutcome> =>
    on((journal) => claims.noted(lost, work(journal)));

  return {
    append: (order) => on((journal) => journal.append(order)),
    read: (run, page) => on((journal) => journal.read(run, page)),
    readApart: (event, digests) => on((journal) => journal.readApart(event, digests)),
    readStored: (run, page) => on((journal) => journal.readStored(run, page)),
    head: (run) => on((journal) => journal.head(run)),
    runs: (filter) => on((journal) => journal.runs(filter)),
    saveSnapshot: (run, snapshot) => on((journal) => journal.saveSnapshot(run, snapshot)),
    loadSnapshot: (run, fold) => on((journal) => journal.loadSnapshot(run, fold)),
    remove: (order) => on((journal) => journal.remove(order)),
    rewrite: (order) => on((journal) => journal.rewrite(order)),
    mailTexts: (address) => on((journal) => journal.mailTexts(address)),
    traces: (texts) => on((journal) => journal.traces(texts)),
    purge: (what) => on((journal) => journal.purge(what)),
    ask: (row) => on((journal) => journal.ask(row)),
    inbox: (address) => on((journal) => journal.inbox(address)),
    addressesWithMail: () => on((journal) => journal.addressesWithMail()),
    consume: (address, ids) => on((journal) => journal.consume(address, ids)),
    claim: (address, owner) => claim({ address, owner }, (journal) => journal.claim(address, owner)),
    takeOver: (address, owner, seen) =>
      claim({ address, owner }, (journal) => journal.takeOver(address, owner, seen)),
    lease: (address) => on((journal) => journal.lease(address)),
    holders: () => on((journal) => journal.holders()),
    release: (address, epoch) => on((journal) => journal.release(address, epoch)),
    beat: (owner) => on((journal) => journal.beat(owner)),
    sighting: (owner, observer) => on((journal) => journal.sighting(owner, observer)),
    noteSighting: (sighting, lease) => on((journal) => journal.noteSighting(sighting, lease)),
    watch: (changed) => watchers.add(changed, at.outOfRoom() === null ? at.journal : null),
    verify: () => on((journal) => journal.verify()),
    close: () => (closing ??= at.journal.close()),
  };
}

/** Who watches, across reopenings. */
function watchersOf(): {
  /** Without a journal, it watches from the next reopening on. */
  add(changed: () => void, journal: Journal | null): () => void;
  moveTo(journal: Journal): void;
} {
  const watchers = new Map<() => void, (() => void) | null>();
  return {
    add(changed, journal) {
      // One per call, since the same function may be given twice.
      const watcher = (): void => changed();
      watchers.set(watcher, journal?.watch(watcher) ?? null);
      return () => {
        watchers.get(watcher)?.();
        watchers.delete(watcher);
      };
    },
    moveTo(journal) {
      for (const watcher of watchers.keys()) {
        watchers.set(watcher, journal.watch(watcher));
        watcher();
      }
    },
  };
}

/** Claims, as far as they were answered: one that was made and answered with a fault is nobody's. */
function claimsOf(): {
  noted(asked: Lost, outcome: Promise<ClaimOutcome>): Promise<ClaimOutcome>;
  letGoLost(journal: Journal): void;
} {
  let lost: Lost[] = [];
  /** The last epoch that was answered, of each address. */
  const answered = new Map<string, number>();
  const isUnanswered = (lease: Lease | null, { address, owner }: Lost): lease is Lease =>
    lease?.owner?.id === owner.id && answered.get(address) !== lease.epoch;
  return {
    async noted(asked, outcome) {
      try {
        const claimed = await outcome;
        if (claimed.kind === "claimed") answered.set(asked.address, claimed.epoch);
        return claimed;
      } catch (fault) {
        if (isFault(fault, "store_full")) lost.push(asked);
        throw fault;
      }
    },
    letGoLost(journal) {
      const asked = lost;
      lost = [];
      for (const one of asked)
        journal
          .lease(one.address)
          .then((lease) => (isUnanswered(lease, one) ? journal.release(one.address, lease.epoch) : undefined))
          // The disk is full again: the lease is let go after the next reopening.
          .catch(() => lost.push(one));
    },
  };
}
