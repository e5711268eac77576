import type { DatabaseSync } from "node:sqlite";
import { isFault, type Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { checkAppendOrder } from "../append-rules.ts";
import type { EncodedEvent } from "../chain.ts";
import type { AppendOrder, AppendOutcome, Journal } from "../journal.ts";
import { checkedTexts, decodeWhole, packEvents, withApart } from "../large-values.ts";
import { openAcknowledgedMark, type AcknowledgedMark } from "./mark/acknowledged-mark.ts";
import { checkMark } from "./mark/check-mark.ts";
import { appendGuards } from "./append/append-guards.ts";
import { blobRows, type BlobRows } from "./rows/blob-rows.ts";
import { changeWatch } from "./change-watch.ts";
import { batchCommitter, loneCommitter } from "./append/commit-batch.ts";
import { commitQueue, type CommitQueue } from "./append/commit-queue.ts";
import {
  connectFile,
  initialiseStore,
  openStore,
  pageSizeOf,
  WAL_BYTES_KEPT_MAX,
  type Connect,
} from "./connection.ts";
import { eventRows, type EventRows, type Writing } from "./rows/event-rows.ts";
import { eventWriter, rounds } from "./append/rounds.ts";
import { type FileUse, isInUse, sameFile, use } from "./mark/files-in-use.ts";
import { inboxRows } from "./rows/inbox-rows.ts";
import { leaseRows } from "./rows/lease-rows.ts";
import { logRoom } from "./log/log-room.ts";
import { loneAppend } from "./append/lone-append.ts";
import { reopenedJournal, type Connected } from "./reopened-journal.ts";
import { noRoomBeside, storeFull, withoutRoom } from "./log/room-probe.ts";
import { emptyLog, purgeStore, tracesIn } from "./rewrite/purge-store.ts";
import { runRemoval, runRewriting } from "./rewrite/run-rewriting.ts";
import { runRows } from "./rows/run-rows.ts";
import { snapshotRows } from "./rows/snapshot-rows.ts";
import { toFault } from "./sqlite-fault.ts";
import { prepareStoreFile } from "./store-file.ts";
import { damagesOf } from "./verify-store.ts";

export interface SqliteJournalOptions {
  readonly file: string;
  readonly world: World;
  /** How the file is opened; a test gives a connection whose disk fails. */
  readonly connect?: Connect;
  /** Values whose JSON is longer are kept apart, once each. */
  readonly largeChars?: number;
}

/**
 * The journal in one SQLite file that any number of processes may open.
 *
 * States: open → poisoned (see `commit-queue.ts`) → closed, or open → closed. Where it was a want of room that poisoned
 * it, the store is opened again by itself (see `reopened-journal.ts`). Every change goes through the one
 * commit queue of this handle; every read is a single look at the file as it is now, no matter who wrote it.
 */
export function openSqliteJournal(options: SqliteJournalOptions): Promise<Journal> {
  return new Promise((resolve) => {
    resolve(reopenedJournal({ first: opened(options), reopen: () => reopened(options) }));
  });
}

function opened(
  options: SqliteJournalOptions,
  first: (db: DatabaseSync) => void = () => undefined,
): Connected {
  try {
    return open(options, first);
  } catch (error) {
    throw withoutRoom(toFault(error, "opening", options.file), options.file);
  }
}

function reopened(options: SqliteJournalOptions): Connected {
  const why = noRoomBeside(options.file);
  if (why !== null) throw storeFull(options.file, why);
  return opened(options, putInPlace);
}

/** A sync that was refused may have left parts of the log in memory only: all of it is written to its place. */
const putInPlace = (db: DatabaseSync): void => db.exec("PRAGMA wal_checkpoint(TRUNCATE)");

function open(options: SqliteJournalOptions, first: (db: DatabaseSync) => void): Connected {
  const { file, world, connect = connectFile, largeChars } = options;
  if (!isInUse(file)) prepareStoreFile(file, world, initialiseStore);
  const mark = openAcknowledgedMark(file);
  const using = use(file);
  try {
    // The mark is read before the store: what it names was committed before, so the store must hold it.
    const marks = mark.records();
    const db = openStore(file, connect, (opened, version) => checkMark(opened, { file, version, marks }));
    first(db);
    return journalOn({ db, file, world, largeChars, mark, using });
  } catch (error) {
    mark.close();
    using.end();
    throw error;
  }
}

interface OpenStore {
  readonly db: DatabaseSync;
  readonly file: string;
  readonly world: World;
  readonly largeChars: number | undefined;
  readonly mark: AcknowledgedMark;
  readonly using: FileUse;
}

function journalOn({ db, file, world, largeChars, mark, using }: OpenStore): Connected {
  let full: Fault | null = null;
  const writing = writingTo(db);
  const { guards, rounds } = writing;
  const changes = changeWatch(db);
  const room = logRoom({ file, world, pageSize: pageSizeOf(db), bytesMax: WAL_BYTES_KEPT_MAX });
  const committer = { db, file, world, checkFile: sameFile(file, using), guards, rounds, room };
  const queue = commitQueue({
    commitBatch: batchCommitter(committer),
    commitAlone: loneCommitter(committer),
    committed() {
      // A commit without events is noted too.
      room.committed(mark.note(guards.lastAppended()));
      changes.notify();
    },
    poisoned(fault) {
      const named = withoutRoom(fault, file);
      if (isFault(named, "store_full")) full = named;
      return named;
    },
  });
  const look = looking(queue, file);
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    changes.close();
    room.close();
    db.close();
    mark.close();
    using.end();
  };
  let closing: Promise<void> | null = null;
  const journal: Journal = {
    ...runMethods({ db, file, queue, look, writing, world, largeChars }),
    ...inboxMethods({ db, file, queue, look }),
    ...leaseMethods({ db, file, queue, look, writing, world }),
    watch(changed) {
      queue.check();
      return changes.watch(changed);
    },
    verify: () => look(() => damagesOf(file)),
    traces: (texts) => look(() => tracesIn(file, using, texts)),
    purge: (what) => look(() => (what === "all" ? purgeStore(db, file) : emptyLog(db))),
    close: () => (closing ??= queue.close().then(close)),
  };
  return { journal, outOfRoom: () => full, abandon: close };
}

function writingTo(db: DatabaseSync): Writing {
  const putInPlace = eventWriter(db);
  const inRounds = rounds(db, putInPlace);
  return { rounds: inRounds, putInPlace, guards: appendGuards(db, () => inRounds.empty()) };
}

type Look = <T>(work: () => T) => Promise<T>;

/** Reads at once; a poisoned or closed journal cannot be read either. */
const looking =
  (queue: CommitQueue, file: string): Look =>
  (work) =>
    new Promise((resolve) => {
      queue.check();
      try {
        resolve(work());
      } catch (error) {
        throw withoutRoom(toFault(error, "reading", file), file);
      }
    });

interface Handle {
  readonly db: DatabaseSync;
  readonly file: string;
  readonly queue: CommitQueue;
  readonly look: Look;
}
type WritingHandle = Handle & { readonly writing: Writing };
interface LargeOptions {
  readonly world: World;
  readonly largeChars: number | undefined;
}

type RunMethods = Pick<
  Journal,
  "append" | "read" | "readApart" | "readStored" | "head" | "runs" | "saveSnapshot" | "loadSnapshot"
>;
function runMethods(handle: WritingHandle & LargeOptions): RunMethods {
  const { db, file, queue, look, writing, largeChars } = handle;
  const inbox = inboxRows(db);
  const events = eventRows(db, writing, (address, ids) => inbox.consume(address, ids));
  const runs = runRows(db);
  const snapshots = snapshotRows(db);
  const blobs = blobRows(db);
  const append = appending(handle, events, blobs);
  const lone = loneAppend(db, writing.guards);
  return {
    // Not async: the queue's own promise is given back, which saves a lone writer three turns of the microtask queue.
    append(order) {
      try {
        checkAppendOrder(order);
        const encoded = packEvents(order.events, largeChars);
        return queue.submitLone(
          "append",
          () => append(order, encoded),
          (before) => lone(order, encoded, before),
        );
      } catch (error) {
        return Promise.reject(toFault(error, "appending", file));
      }
    },
    read: (run, page) =>
      look(() =>
        events.read(run, page).map((event) => decodeWhole(event, page.leaveApart === true, blobs.find)),
      ),
    readApart: (event, digests) => look(() => checkedTexts(event, digests, blobs.find)),
    readStored: (run, page) => look(() => events.read(run, page)),
    head: (run) => look(() => events.head(run)),
    runs: (filter = {}) => look(() => runs.list(filter)),
    saveSnapshot: (run, snapshot) => queue.submit("snapshot", () => snapshots.save(run, snapshot)),
    async loadSnapshot(run, fold) {
      try {
        return await look(() => snapshots.load(run, fold));
      } catch (error) {
        // Unreadable is as good as none: the run is folded from its events, which are checked on their own.
        if (isFault(error, "journal_damaged")) return null;
        throw error;
      }
    },
  };
}

/** Events and the large values they name, in one transaction. */
const appending =
  ({ world }: LargeOptions, events: EventRows, blobs: BlobRows) =>
  (order: AppendOrder, encoded: readonly EncodedEvent[]): AppendOutcome => {
    const outcome = events.append(order, encoded);
    if (outcome.kind !== "appended" || encoded.every(({ apart }) => apart === undefined)) return outcome;
    world.crashPoint("journal.blobs.before");
    blobs.put(order.run, order.expected + 1, encoded);
    world.crashPoint("journal.blobs.after");
    return withApart(outcome, encoded);
  };

type InboxMethods = Pick<Journal, "ask" | "inbox" | "addressesWithMail" | "consume" | "mailTexts">;
function inboxMethods({ db, queue, look }: Handle): InboxMethods {
  const inbox = inboxRows(db);
  return {
    ask: (row) => queue.submit("ask", () => inbox.ask(row)),
    inbox: (address) => look(() => inbox.inbox(address)),
    mailTexts: (address) => look(() => inbox.texts(address)),
    addressesWithMail: () => look(() => inbox.addressesWithMail()),
    consume: (address, ids) => queue.submit("consume", () => inbox.consume(address, ids)),
  };
}

type LeaseMethods = Pick<
  Journal,
  | "claim"
  | "takeOver"
  | "lease"
  | "holders"
  | "release"
  | "beat"
  | "remove"
  | "rewrite"
  | "sighting"
  | "noteSighting"
>;
function leaseMethods({ db, queue, look, writing, world }: WritingHandle & { world: World }): LeaseMethods {
  const forget = (address: string): void => writing.guards.forget(address);
  const leases = leaseRows(db, () => world.now(), forget);
  const remove = runRemoval(db, writing, (address, epoch) => leases.release(address, epoch));
  const rewrite = runRewriting(db, writing);
  return {
    remove: (order) => queue.submit("archive", () => remove(order)),
    rewrite: (order) => queue.submit("rewrite", () => rewrite(order)),
    claim: (address, owner) => queue.submit("claim", () => leases.claim({ address, owner })),
    takeOver: (address, owner, seen) =>
      queue.submit("takeover", () => leases.claim({ address, owner, seen })),
    lease: (address) => look(() => leases.lease(address)),
    holders: () => look(() => leases.holders()),
    release: (address, epoch) => queue.submit("release", () => leases.release(address, epoch)),
    beat: (ownerId) => queue.submit(null, () => leases.beat(ownerId)),
    sighting: (owner, observer) => look(() => leases.sighting({ owner, observer })),
    noteSighting: (sighting, lease) => queue.submit(null, () => leases.noteSighting(sighting, lease)),
  };
}
