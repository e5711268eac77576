import type { World } from "../../model/world.ts";
import { checkAppendOrder, checkRewriteOrder } from "../append-rules.ts";
import type { Journal } from "../journal.ts";
import { checkedTexts, decodeWhole, packEvents, withApart } from "../large-values.ts";
import { runNotFound } from "../not-found.ts";
import { journalClosed } from "../seal.ts";
import {
  addressesWithMail,
  consumeMail,
  mailTexts,
  memoryDamages,
  memoryDisk,
  type MemoryDisk,
  putBlobs,
  putMail,
  waitingMail,
} from "./memory-disk.ts";
import { beat, holdersOf, leaseOf, noteSighting, planClaim, planRelease } from "./memory-leases.ts";
import {
  headOf,
  listRuns,
  planAppend,
  planRemove,
  readEvents,
  usableSnapshot,
  withSnapshot,
} from "./memory-runs.ts";
import { planRewrite } from "./memory-rewriting.ts";
import { memoryWatch } from "./memory-watch.ts";
import { decodeRow } from "./sound-rows.ts";

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
export function memoryJournal(options: {
  readonly world: World;
  readonly disk?: MemoryDisk;
  readonly largeChars?: number;
}): Journal {
  const { world, disk = memoryDisk(), largeChars } = options;
  const watch = memoryWatch(disk);
  let open = true;
  const check = (): void => {
    if (!open) throw journalClosed();
  };
  const handle: Handle = {
    disk,
    world,
    largeChars,
    answer: (work) =>
      new Promise((resolve) => {
        check();
        resolve(work());
      }),
    commit: (point, write) => {
      world.crashPoint(`journal.${point}.before`);
      write?.();
      if (write !== undefined) for (const watcher of disk.watchers) queueMicrotask(watcher);
      world.crashPoint(`journal.${point}.after`);
    },
  };
  return {
    ...runMethods(handle),
    ...inboxMethods(handle),
    ...leaseMethods(handle),
    watch(changed) {
      check();
      return watch.watch(changed);
    },
    verify: () => handle.answer(() => memoryDamages(disk)),
    // There are no files: what was replaced is nowhere.
    traces: () => handle.answer(() => 0),
    purge: () => handle.answer(() => undefined),
    close() {
      open = false;
      watch.close();
      return Promise.resolve();
    },
  };
}

interface Handle {
  readonly disk: MemoryDisk;
  readonly world: World;
  readonly largeChars: number | undefined;
  /** Every method begins here: promises that reject, never a throw at the call. */
  readonly answer: <T>(work: () => T) => Promise<T>;
  /** Writes between the crash points; nothing is written if there is nothing to write. */
  readonly commit: (point: string, write: (() => void) | undefined) => void;
}

type RunMethods = Pick<
  Journal,
  | "append"
  | "read"
  | "readApart"
  | "readStored"
  | "head"
  | "runs"
  | "saveSnapshot"
  | "loadSnapshot"
  | "remove"
  | "rewrite"
>;
const runMethods = ({ disk, largeChars, answer, commit }: Handle): RunMethods => ({
  append: (order) =>
    answer(() => {
      checkAppendOrder(order);
      const encoded = packEvents(order.events, largeChars);
      const plan = planAppend(disk, order, encoded);
      if (plan.write !== undefined && encoded.some(({ apart }) => apart !== undefined))
        commit("blobs", () => putBlobs(disk, order.run, encoded));
      commit("append", plan.write);
      return withApart(plan.outcome, encoded);
    }),
  read: (run, page) =>
    answer(() =>
      readEvents(disk, run, page).map((row) =>
        decodeRow(row, (event) =>
          decodeWhole(event, page.leaveApart === true, (digest) => disk.blobs.get(digest)),
        ),
      ),
    ),
  readApart: (event, digests) =>
    answer(() => checkedTexts(event, digests, (digest) => disk.blobs.get(digest))),
  readStored: (run, page) => answer(() => readEvents(disk, run, page)),
  head: (run) => answer(() => headOf(disk, run)),
  runs: (filter = {}) => answer(() => listRuns(disk, filter)),
  saveSnapshot: (run, snapshot) =>
    answer(() => {
      const found = disk.runs.get(run);
      if (found === undefined) throw runNotFound(run);
      commit("snapshot", () => (found.snapshots = withSnapshot(found.snapshots, snapshot)));
    }),
  loadSnapshot: (run, fold) => answer(() => usableSnapshot(disk, run, fold)),
  rewrite: (order) =>
    answer(() => {
      checkRewriteOrder(order);
      const plan = planRewrite(disk, order);
      commit("rewrite", plan.write);
      return plan.outcome;
    }),
  remove: (order) =>
    answer(() => {
      const plan = planRemove(disk, order);
      commit("archive", plan.write);
      return plan.outcome;
    }),
});

type InboxMethods = Pick<Journal, "ask" | "inbox" | "addressesWithMail" | "consume" | "mailTexts">;
const inboxMethods = ({ disk, answer, commit }: Handle): InboxMethods => ({
  ask: (row) =>
    answer(() => {
      const known = disk.asked.has(row.id);
      commit("ask", known ? undefined : () => putMail(disk, row));
      return known ? "already" : "put";
    }),
  inbox: (address) => answer(() => waitingMail(disk, address)),
  mailTexts: (address) => answer(() => mailTexts(disk, address)),
  addressesWithMail: () => answer(() => addressesWithMail(disk)),
  consume: (address, ids) => answer(() => commit("consume", () => consumeMail(disk, address, ids))),
});

type LeaseMethods = Pick<
  Journal,
  "claim" | "takeOver" | "lease" | "holders" | "release" | "beat" | "sighting" | "noteSighting"
>;
const leaseMethods = ({ disk, world, answer, commit }: Handle): LeaseMethods => ({
  claim: (address, owner) =>
    answer(() => {
      const plan = planClaim(disk, { address, owner, at: world.now() });
      commit("claim", plan.write);
      return plan.outcome;
    }),
  takeOver: (address, owner, seen) =>
    answer(() => {
      const plan = planClaim(disk, { address, owner, seen, at: world.now() });
      commit("takeover", plan.write);
      return plan.outcome;
    }),
  lease: (address) => answer(() => leaseOf(disk, address)),
  holders: () => answer(() => holdersOf(disk, world.now())),
  release: (address, epoch) => answer(() => commit("release", planRelease(disk, address, epoch))),
  beat: (ownerId) => answer(() => beat(disk, ownerId, world.now())),
  sighting: (owner, observer) => answer(() => disk.owners.get(owner)?.sightings.get(observer) ?? null),
  noteSighting: (sighting, lease) => answer(() => noteSighting(disk, sighting, lease)),
});
