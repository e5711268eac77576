import { isFault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { checkAppendOrder } from "../append-rules.ts";
import { encodeEvents } from "../chain.ts";
import type { AppendOutcome, Journal } from "../journal.ts";
import { journalClosed } from "../seal.ts";
import { openAcknowledgedMark } from "./plain-file.ts";
import { checkMark } from "./check-mark.ts";
import { changeWatch } from "./change-watch.ts";
import { batchCommitter } from "./commit-batch.ts";
import { commitQueue } from "./commit-queue.ts";
import { connectFile, initialiseStore, openStore, type Connect } from "./connection.ts";
import { eventRows } from "./event-rows.ts";
import { inboxRows } from "./inbox-rows.ts";
import { leaseRows } from "./lease-rows.ts";
import { runRows } from "./run-rows.ts";
import { snapshotRows } from "./snapshot-rows.ts";
import { toFault } from "./sqlite-fault.ts";
import { prepareStoreFile } from "./plain-file.ts";
import { damagesOf } from "./verify-store.ts";

export interface SqliteJournalOptions {
  readonly file: string;
  readonly world: World;
  /** How the file is opened; a test gives a connection whose disk fails. */
  readonly connect?: Connect;
}

/**
 * The journal in one SQLite file that any number of processes may open.
 *
 * States: open → poisoned (see `commit-queue.ts`) → closed, or open → closed. Every change goes through the one
 * commit queue of this handle; every read is a single look at the file as it is now, whoever wrote it.
 */
export function openSqliteJournal(options: SqliteJournalOptions): Promise<Journal> {
  return new Promise((resolve) => {
    try {
      resolve(open(options));
    } catch (error) {
      throw toFault(error, "opening", options.file);
    }
  });
}

function open({ file, world, connect = connectFile }: SqliteJournalOptions): Journal {
  prepareStoreFile(file, world, initialiseStore);
  const mark = openAcknowledgedMark(file);
  // The mark is read before the store: what it names was committed before, so the store must hold it.
  const acknowledged = mark.last();
  const db = openStore(file, connect);
  checkMark(db, file, acknowledged);

  const inbox = inboxRows(db);
  const events = eventRows(db, inbox.consume);
  const runs = runRows(db);
  const leases = leaseRows(db);
  const snapshots = snapshotRows(db);
  const changes = changeWatch(db);
  const queue = commitQueue({
    commitBatch: batchCommitter(db, world, file),
    committed(values) {
      const last = values.findLast(isAppended);
      if (last !== undefined) mark.note(last.head.position, last.head.hash);
      changes.notify();
    },
  });
  const look = <T>(work: () => T): Promise<T> =>
    new Promise((resolve) => {
      queue.check();
      try {
        resolve(work());
      } catch (error) {
        throw toFault(error, "reading", file);
      }
    });
  let closing: Promise<void> | null = null;

  return {
    async append(order) {
      checkAppendOrder(order);
      const encoded = encodeEvents(order.events);
      return queue.submit("append", () => events.append(order, encoded));
    },
    read: (run, page) => look(() => events.read(run, page)),
    head: (run) => look(() => events.head(run)),
    runs: (filter = {}) => look(() => runs.list(filter)),

    saveSnapshot: (run, snapshot) => queue.submit("snapshot", () => snapshots.save(run, snapshot)),
    async loadSnapshot(run) {
      try {
        return await look(() => snapshots.load(run));
      } catch (error) {
        // Unreadable is as good as none: the run is folded from its events, which are checked on their own.
        if (isFault(error, "journal_damaged")) return null;
        throw error;
      }
    },

    ask: (row) => queue.submit("ask", () => inbox.ask(row)),
    inbox: (address) => look(() => inbox.inbox(address)),
    addressesWithMail: () => look(() => inbox.addressesWithMail()),
    consume: (address, ids) => queue.submit("consume", () => inbox.consume(address, ids)),

    claim: (address, owner) => queue.submit("claim", () => leases.claim({ address, owner })),
    takeOver: (address, owner, seen) =>
      queue.submit("takeover", () => leases.claim({ address, owner, seen })),
    lease: (address) => look(() => leases.lease(address)),
    release: (address, epoch) => queue.submit("release", () => leases.release(address, epoch)),
    beat: (ownerId) => queue.submit(null, () => leases.beat(ownerId)),

    watch(changed) {
      queue.check();
      return changes.watch(changed);
    },
    verify: () => look(() => damagesOf(file)),
    close() {
      closing ??= queue.close().then(() => {
        changes.close();
        db.close();
        mark.close();
      });
      return closing;
    },
  };
}

const isAppended = (value: unknown): value is Extract<AppendOutcome, { kind: "appended" }> =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "appended";
