import type { DatabaseSync } from "node:sqlite";
import type { Recorded } from "../../model/events.ts";
import { refuseAppend } from "../append-rules.ts";
import {
  chainEvents,
  checkPage,
  GENESIS,
  journalDamaged,
  type EncodedEvent,
  type StoredEvent,
} from "../chain.ts";
import type { AppendOrder, AppendOutcome, Head, ReadPage } from "../journal.ts";
import { checkLease } from "./lease-rows.ts";
import { integer, text, type Row } from "./row-values.ts";
import { checkedHead, headSeal, listingSeal } from "./run-rows.ts";
import { SQL } from "./statements.ts";

export interface EventRows {
  /** Inside a transaction: judges and writes. */
  append(order: AppendOrder, encoded: readonly EncodedEvent[]): AppendOutcome;
  read(run: string, page: ReadPage): Recorded[];
  head(run: string): Head | null;
}

export const eventRows = (
  db: DatabaseSync,
  consume: (address: string, ids: readonly string[]) => void,
): EventRows => ({
  append: appending(db, consume),
  ...reading(db),
});

function appending(
  db: DatabaseSync,
  consume: (address: string, ids: readonly string[]) => void,
): EventRows["append"] {
  const guard = db.prepare(SQL.appendGuard);
  const insertEvent = db.prepare(SQL.insertEvent);
  const insertHead = db.prepare(SQL.insertHead);
  const updateHead = db.prepare(SQL.updateHead);
  const putListing = listingWriter(db);

  const insertAll = (runKey: number, events: readonly StoredEvent[]): number => {
    let position = 0;
    for (const { seq, at, type, hash, data } of events)
      position = Number(insertEvent.run(runKey, seq, at, type, hash, data).lastInsertRowid);
    return position;
  };

  return (order, encoded) => {
    const row = guard.get(order.run);
    if (row === undefined) return { kind: "fenced", currentEpoch: 0 };
    const lease = { epoch: integer(row, "epoch"), held: checkLease(order.run, row) !== null };
    const before = row["run_key"] === null ? null : checkedHead(order.run, row);
    const refused = refuseAppend(order, lease, before);
    if (refused !== null) return refused;
    const from = { run: order.run, seq: before?.seq ?? 0, hash: before?.hash ?? GENESIS };
    const events = chainEvents(from, order.at, encoded);
    const runKey = putListing(order, row);
    const position = insertAll(runKey, events);
    const head: Head = { seq: from.seq + events.length, hash: events.at(-1)?.hash ?? from.hash, position };
    const seal = headSeal(order.run, head, order.at);
    if (before === null) insertHead.run(runKey, head.seq, head.hash, head.position, order.at, seal);
    else updateHead.run(head.seq, head.hash, head.position, order.at, seal, runKey);
    if (order.consumed !== undefined) consume(order.run, order.consumed);
    return { kind: "appended", head };
  };
}

/** Writes the run's listing only if it changed (its seal tells), and gives the run's key. */
function listingWriter(db: DatabaseSync): (order: AppendOrder, guard: Row) => number {
  const insertRun = db.prepare(SQL.insertRun);
  const updateRun = db.prepare(SQL.updateRun);
  return ({ run, at, listing }, guard) => {
    const known = guard["run_key"] !== null;
    const seal = listingSeal(run, known ? integer(guard, "created_at") : at, listing);
    const goal = JSON.stringify(listing.goal);
    if (!known)
      return Number(insertRun.run(run, listing.status, listing.wakeAt, at, seal, goal).lastInsertRowid);
    const runKey = integer(guard, "run_key");
    if (guard["run_seal"] !== seal) updateRun.run(listing.status, listing.wakeAt, seal, goal, runKey);
    return runKey;
  };
}

function reading(db: DatabaseSync): Pick<EventRows, "read" | "head"> {
  const headRow = db.prepare(SQL.head);
  const eventHash = db.prepare(SQL.eventHash);
  const readEvents = db.prepare(SQL.readEvents);

  /** The run's anchor: its head, agreeing with the event it names. */
  const anchor = (run: string): { key: number; head: Head } | null => {
    const row = headRow.get(run);
    if (row === undefined) return null;
    const head = checkedHead(run, row);
    if (row["event_hash"] !== head.hash || row["event_position"] !== head.position)
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
      const rows = readEvents.all(found.key, after, limit).map((row) => storedEvent(run, row));
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
