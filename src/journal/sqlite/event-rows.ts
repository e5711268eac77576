import type { DatabaseSync } from "node:sqlite";
import { promise } from "../../model/fault.ts";
import { refuseAppend } from "../append-rules.ts";
import {
  chainEvents,
  checkPage,
  GENESIS,
  journalDamaged,
  type EncodedEvent,
  type StoredEvent,
} from "../chain.ts";
import type { AppendOrder, AppendOutcome, Head, ListingUpdate, ReadPage } from "../journal.ts";
import { absence } from "./absence.ts";
import type { AppendGuards, GuardedRun } from "./append-guards.ts";
import { integer, text, type Row } from "./row-values.ts";
import { checkedHead, sealOfHead, sealOfListing } from "./run-rows.ts";
import { SQL } from "./statements.ts";

export interface EventRows {
  /** Inside a transaction: judges and writes. */
  append(order: AppendOrder, encoded: readonly EncodedEvent[]): AppendOutcome;
  read(run: string, page: ReadPage): StoredEvent[];
  head(run: string): Head | null;
}

/** A key has 32 bits for it, and the end needs a place too. */
const SEQ_MAX = 2 ** 32 - 1;

type Consume = (address: string, ids: readonly string[]) => void;

export const eventRows = (db: DatabaseSync, guards: AppendGuards, consume: Consume): EventRows => ({
  append: appending(db, guards, consume),
  ...reading(db),
});

function appending(db: DatabaseSync, guards: AppendGuards, consume: Consume): EventRows["append"] {
  const putListing = listingWriter(db);
  const putEvents = eventWriter(db);

  return (order, encoded) => {
    const guard = guards.of(order.run);
    if (guard === null) return { kind: "fenced", currentEpoch: 0 };
    const before = guard.run?.head ?? null;
    const refused = refuseAppend(order, guard.lease, before);
    if (refused !== null) return refused;
    const from = { run: order.run, seq: before?.seq ?? 0, hash: before?.hash ?? GENESIS };
    const events = chainEvents(from, order.at, encoded);
    const listed = putListing(order, guard.run);
    const head = putEvents(listed.key, events);
    if (order.consumed !== undefined) consume(order.run, order.consumed);
    guards.appended(order.run, { lease: guard.lease, run: { ...listed, head } });
    return { kind: "appended", head };
  };
}

/** Writes the run's listing if it changed, which is rare, and says what is known of the run from now on. */
function listingWriter(
  db: DatabaseSync,
): (order: AppendOrder, known: GuardedRun | null) => Omit<GuardedRun, "head"> {
  const insertRun = db.prepare(SQL.insertRun);
  const updateRun = db.prepare(SQL.updateRun);
  return ({ run, at, listing }, known) => {
    if (known !== null && isSameListing(known.listing, listing)) return known;
    const createdAt = known?.createdAt ?? at;
    const listingSeal = sealOfListing(run, createdAt, listing);
    const { status, wakeAt } = listing;
    const goal = JSON.stringify(listing.goal);
    const key =
      known?.key ?? Number(insertRun.run(run, status, wakeAt, createdAt, listingSeal, goal).lastInsertRowid);
    if (known !== null && known.listingSeal !== listingSeal)
      updateRun.run(status, wakeAt, listingSeal, goal, key);
    return { key, createdAt, listingSeal, listing: { status, goal: listing.goal, wakeAt } };
  };
}

const isSameListing = (one: ListingUpdate | null, other: ListingUpdate): boolean =>
  one !== null && one.status === other.status && one.wakeAt === other.wakeAt && one.goal === other.goal;

/**
 * Writes events and the run's end behind them: a row that names the last event and anchors it, since without it lost
 * last events would look like an end. It stands on the same page as that event, so that a lone append writes one page.
 */
function eventWriter(db: DatabaseSync): (runKey: number, events: readonly StoredEvent[]) => Head {
  const insertEvent = db.prepare(SQL.insertEvent);
  const insertLastEvent = db.prepare(SQL.insertLastEvent);
  const checkWritten = (written: number | bigint, rows: number, { run, seq }: StoredEvent): void => {
    if (written !== rows) throw journalDamaged(run, seq, "there is an event behind the last one on record");
  };
  return (runKey, events) => {
    const last = events.at(-1);
    promise(last !== undefined && last.seq < SEQ_MAX, "an append holds events, and a run fewer than 2 ** 32");
    for (const event of events) {
      const { seq, at, type, hash, data } = event;
      if (event !== last) checkWritten(insertEvent.run(runKey, seq, at, type, hash, data).changes, 1, event);
    }
    const { run, seq, at, type, hash, data } = last;
    const head = { seq, hash };
    const seal = sealOfHead(run, head, at);
    checkWritten(insertLastEvent.run(runKey, seq, at, type, hash, data, seal).changes, 2, last);
    return head;
  };
}

function reading(db: DatabaseSync): Pick<EventRows, "read" | "head"> {
  const headRow = db.prepare(SQL.head);
  const eventHash = db.prepare(SQL.eventHash);
  const readEvents = db.prepare(SQL.readEvents);
  const absent = absence(db);

  /** The run's anchor: its head, agreeing with the event it names. */
  const anchor = (run: string): { key: number; head: Head } | null => {
    const row = headRow.get(run);
    if (row === undefined) {
      absent.ofRun(run);
      return null;
    }
    const head = checkedHead(run, row);
    if (row["event_hash"] !== head.hash)
      throw journalDamaged(run, head.seq, "its last event is missing or not the one on record");
    return { key: integer(row, "run_key"), head };
  };
  const hashBefore = (run: string, key: number, after: number): string => {
    if (after === 0) return GENESIS;
    const row = eventHash.get(key, after);
    if (row === undefined) throw journalDamaged(run, after, `event ${String(after)} is missing`);
    return text(row, "hash");
  };

  return {
    head: (run) => anchor(run)?.head ?? null,
    read(run, { after, limit }) {
      const found = anchor(run);
      if (found === null || after >= found.head.seq) return [];
      const previous = hashBefore(run, found.key, after);
      const rows = readEvents
        .all(found.key, after, found.head.seq, limit)
        .map((row) => storedEvent(run, row));
      const last = after + rows.length;
      const events = checkPage(rows, { run, after, previous });
      if (rows.length < limit && last < found.head.seq)
        throw journalDamaged(run, last + 1, `event ${String(last + 1)} is missing`);
      return events;
    },
  };
}

export const storedEvent = (run: string, row: Row): StoredEvent => ({
  run,
  seq: integer(row, "seq"),
  at: integer(row, "at"),
  type: text(row, "type"),
  data: text(row, "data"),
  hash: text(row, "hash"),
});
