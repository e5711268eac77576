import type { World } from "../../model/world.ts";
import { checkAppendOrder } from "../append-rules.ts";
import { encodeEvents } from "../chain.ts";
import type { InboxRow, Journal, RunListing, RunsFilter, Snapshot } from "../journal.ts";
import { journalClosed } from "../seal.ts";
import { runNotFound } from "../not-found.ts";
import { memoryDisk, type MemoryDisk } from "./memory-disk.ts";
import { leaseOf, planClaim, planRelease } from "./memory-leases.ts";
import { consumeMail, headOf, planAppend, readEvents } from "./memory-runs.ts";
import { memoryDamages } from "./memory-verify.ts";

/**
 * A journal in memory, for tests and the simulator: the same promises as the stores on disk, in the same order,
 * without a clock or a timer of its own.
 *
 * States: open, then closed; a closed handle refuses everything. What was written stays on the `disk`, so a second
 * handle on it is what a second process is for a store on disk.
 *
 * 1. A change is planned first and then written at one stroke, between its two crash points: a world that throws
 *    at the first has lost it, one that throws at the second has lost only the answer.
 */
export function memoryJournal(options: { readonly world: World; readonly disk?: MemoryDisk }): Journal {
  const { world, disk = memoryDisk() } = options;
  const own = new Set<() => void>();
  let open = true;

  const commit = (point: string, write: (() => void) | undefined): void => {
    world.crashPoint(`journal.${point}.before`);
    write?.();
    if (write !== undefined) for (const watcher of disk.watchers) queueMicrotask(watcher);
    world.crashPoint(`journal.${point}.after`);
  };
  /** Every method begins here: promises that reject, never a throw at the call. */
  const answer = <T>(work: () => T): Promise<T> =>
    new Promise((resolve) => {
      if (!open) throw journalClosed();
      resolve(work());
    });

  return {
    append: (order) =>
      answer(() => {
        checkAppendOrder(order);
        const plan = planAppend(disk, order, encodeEvents(order.events));
        commit("append", plan.write);
        return plan.outcome;
      }),
    read: (run, page) => answer(() => readEvents(disk, run, page)),
    head: (run) => answer(() => headOf(disk.runs.get(run))),
    runs: (filter = {}) => answer(() => listRuns(disk, filter)),

    saveSnapshot: (run, snapshot) =>
      answer(() => {
        const found = disk.runs.get(run);
        if (found === undefined) throw runNotFound(run);
        commit("snapshot", () => (found.snapshot = { ...snapshot }));
      }),
    loadSnapshot: (run) => answer(() => usableSnapshot(disk, run)),

    ask: (row) =>
      answer(() => {
        const known = disk.asked.has(row.id);
        commit("ask", known ? undefined : () => putMail(disk, row));
        return known ? "already" : "put";
      }),
    inbox: (address) => answer(() => waitingMail(disk, address)),
    addressesWithMail: () => answer(() => addressesWithMail(disk)),
    consume: (address, ids) => answer(() => commit("consume", () => consumeMail(disk, address, ids))),

    claim: (address, owner) =>
      answer(() => {
        const plan = planClaim(disk, { address, owner });
        commit("claim", plan.write);
        return plan.outcome;
      }),
    takeOver: (address, owner, seen) =>
      answer(() => {
        const plan = planClaim(disk, { address, owner, seen });
        commit("takeover", plan.write);
        return plan.outcome;
      }),
    lease: (address) => answer(() => leaseOf(disk, address)),
    release: (address, epoch) =>
      answer(() => commit("release", planRelease(disk, address, epoch) ?? undefined)),
    beat: (ownerId) =>
      answer(() => {
        const owner = disk.owners.get(ownerId);
        if (owner !== undefined) owner.beats += 1;
      }),

    watch(changed) {
      if (!open) throw journalClosed();
      const watcher = (): void => {
        if (own.has(watcher)) changed();
      };
      own.add(watcher);
      disk.watchers.add(watcher);
      return () => {
        own.delete(watcher);
        disk.watchers.delete(watcher);
      };
    },
    verify: () => answer(() => memoryDamages(disk)),
    close() {
      open = false;
      for (const watcher of own) disk.watchers.delete(watcher);
      own.clear();
      return Promise.resolve();
    },
  };
}

function listRuns(disk: MemoryDisk, filter: RunsFilter): RunListing[] {
  return [...disk.runs]
    .reverse()
    .filter(([, run]) => filter.statuses?.includes(run.listing.status) ?? true)
    .slice(0, filter.limit)
    .map(([run, found]) => ({
      ...found.listing,
      run,
      seq: found.events.length,
      createdAt: found.createdAt,
      updatedAt: found.updatedAt,
    }));
}

function usableSnapshot(disk: MemoryDisk, run: string): Snapshot | null {
  const found = disk.runs.get(run);
  const snapshot = found?.snapshot ?? null;
  return snapshot !== null && found?.events[snapshot.seq - 1]?.hash === snapshot.hash
    ? { ...snapshot }
    : null;
}

function putMail(disk: MemoryDisk, row: InboxRow): void {
  disk.asked.add(row.id);
  disk.inbox.set(row.id, { address: row.address, text: JSON.stringify(row) });
}

function waitingMail(disk: MemoryDisk, address: string): InboxRow[] {
  return [...disk.inbox.values()]
    .filter((mail) => mail.address === address)
    .map((mail) => JSON.parse(mail.text) as InboxRow);
}

function addressesWithMail(disk: MemoryDisk): string[] {
  return [...new Set([...disk.inbox.values()].map((mail) => mail.address))].sort();
}
